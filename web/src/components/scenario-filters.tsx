import { Autocomplete, Button, Group, Select } from "@mantine/core";
import { IconFilterOff, IconSearch } from "@tabler/icons-react";
import { useEffect, useState } from "react";
import type { ScenarioFilters as Filters } from "~/api/scenarios";
import { TypedFilter } from "~/components/typed-filter";
import { RISK_LEVELS } from "~/routes";
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
      <Select
        aria-label="Risk"
        placeholder="Any risk"
        size="xs"
        w={{ base: "calc(50% - 3px)", xs: 120 }}
        clearable
        clearButtonProps={{ "aria-label": "Any risk" }}
        data={[...RISK_LEVELS]}
        value={filters.risk_level ?? null}
        onChange={(level) => onChange({ risk_level: oneOf(level, RISK_LEVELS) })}
      />
      <TagFilter value={filters.tag ?? ""} tags={tags} onChange={(tag) => onChange({ tag })} />
      {Object.keys(filters).length > 0 && (
        <Button
          size="compact-xs"
          variant="subtle"
          color="gray"
          leftSection={<IconFilterOff size={14} />}
          onClick={onClear}
        >
          Clear filters
        </Button>
      )}
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
  const [written, setWritten] = useState(value);
  useEffect(() => setWritten(value), [value]);
  const wrong = written !== "" && readTag(written) === undefined;
  const commit = (tag: string) => tag !== value && (tag === "" || readTag(tag)) && onChange(readTag(tag));
  return (
    <Autocomplete
      aria-label="Tag"
      placeholder="Any tag"
      size="xs"
      w={{ base: "calc(50% - 3px)", xs: 170 }}
      maxLength={64}
      clearable
      clearButtonProps={{ "aria-label": "Any tag" }}
      data={tags}
      value={written}
      error={wrong}
      onChange={(tag) => {
        setWritten(tag);
        if (tag === "" || tags.includes(tag)) commit(tag);
      }}
      onBlur={() => commit(written)}
      onKeyDown={(event) => event.key === "Enter" && commit(written)}
    />
  );
}
