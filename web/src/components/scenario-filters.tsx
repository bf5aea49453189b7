import { Group } from "@mantine/core";
import { IconSearch } from "@tabler/icons-react";
import type { ScenarioFilters as Filters } from "~/api/scenarios";
import { RISK_LEVELS } from "~/components/evals/names";
import { ChoiceFilter, ClearFilters } from "~/components/list/filters";
import { OfferedFilter } from "~/components/list/offered-filter";
import { TypedFilter } from "~/components/typed-filter";
import { oneOf, tag as readTag, text } from "~/shell/search";

const LONGEST_Q = 200;

/** What stands in the address; undefined takes a filter out of it. */
export type FilterChange = { [Name in keyof Filters]?: Filters[Name] | undefined };

interface ScenarioFiltersProps {
  filters: Filters;
  /** Tags one can see, to choose from. */
  tags: string[];
  /** `replace`: no new entry in the history, for what is typed letter by letter. */
  onChange: (change: FilterChange, replace?: boolean) => void;
  onClear: () => void;
}

export function ScenarioFilterBar({ filters, tags, onChange, onClear }: ScenarioFiltersProps) {
  return (
    <Group gap="xs" role="search" aria-label="Filter scenarios">
      <TypedFilter
        label="Part of the name or description"
        placeholder="Name or description"
        value={filters.q ?? ""}
        onChange={(q) => onChange({ q: text(q) }, true)}
        icon={<IconSearch size={14} aria-hidden />}
        w={{ base: "100%", xs: 240 }}
        maxLength={LONGEST_Q}
        filter
      />
      <ChoiceFilter
        label="Risk"
        any="Any risk"
        w={{ base: "calc(50% - 3px)", xs: 120 }}
        data={[...RISK_LEVELS]}
        value={filters.risk_level}
        onChange={(level) => onChange({ risk_level: oneOf(level, RISK_LEVELS) })}
      />
      <TagFilter value={filters.tag ?? ""} tags={tags} onChange={(tag) => onChange({ tag })} />
      {Object.keys(filters).length > 0 && <ClearFilters onClear={onClear} />}
    </Group>
  );
}

interface TagFilterProps {
  value: string;
  tags: string[];
  onChange: (tag: string | undefined) => void;
}

/** A tag that none of the scenarios on this page has may still be one of another page. */
function TagFilter({ value, tags, onChange }: TagFilterProps) {
  return (
    <OfferedFilter
      label="Tag"
      any="Any tag"
      w={{ base: "calc(50% - 3px)", xs: 170 }}
      maxLength={64}
      offered={tags}
      isValid={(tag) => readTag(tag) !== undefined}
      value={value}
      onChange={(tag) => onChange(readTag(tag))}
    />
  );
}
