import { Button, Chip, Group, SegmentedControl, Select } from "@mantine/core";
import { IconFilterOff } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { agentsQuery } from "~/api/queries";
import { variationsQuery } from "~/api/variations";
import { variationName } from "~/components/evals/names";
import { VERDICTS } from "~/pages/reviews/verdicts";
import { REVIEW_VERDICTS, RISK_LEVELS } from "~/routes";
import { oneOf, whole, word } from "~/shell/search";

const HALF = { base: "calc(50% - 3px)", xs: 150 };
const SOURCES = [
  { value: "flag", label: "flags" },
  { value: "sample", label: "samples" },
  { value: "manual", label: "submitted" },
] as const;

const route = getRouteApi("/app/review");
type Search = ReturnType<typeof route.useSearch>;

/** What stands in the address; undefined takes a filter out of it. */
export type ReviewSearch = { [Name in keyof Search]?: Search[Name] | undefined };

interface ReviewFilterBarProps {
  search: ReviewSearch;
  onChange: (change: ReviewSearch) => void;
  onClear: () => void;
  active: boolean;
}

export function ReviewFilterBar({ search, onChange, onClear, active }: ReviewFilterBarProps) {
  const { data: agents = [] } = useQuery(agentsQuery);
  const { data: variations = [] } = useQuery(variationsQuery);
  const decided = search.status === "decided";
  return (
    <Group gap="xs" role="search" aria-label="Filter the queue">
      <SegmentedControl
        size="xs"
        aria-label="Status"
        data={["open", "decided"]}
        value={search.status ?? "open"}
        onChange={(status) => onChange({ status: oneOf(status, ["decided"]), verdict: undefined })}
      />
      {decided && (
        <OneOfSome
          label="Verdict"
          any="Any verdict"
          data={VERDICTS.map(({ verdict, name }) => ({ value: verdict, label: name.toLowerCase() }))}
          value={search.verdict}
          onChange={(verdict) => onChange({ verdict: oneOf(verdict, REVIEW_VERDICTS) })}
        />
      )}
      <OneOfSome
        label="Source"
        any="Any source"
        data={[...SOURCES]}
        value={search.source}
        onChange={(source) => onChange({ source: oneOf(source, ["flag", "sample", "manual"]) })}
      />
      <OneOfSome
        label="Risk"
        any="Any risk"
        data={RISK_LEVELS.map((level) => ({ value: level, label: level }))}
        value={search.risk_level}
        onChange={(level) => onChange({ risk_level: oneOf(level, RISK_LEVELS) })}
      />
      <OneOfSome
        label="Variation"
        any="Any variation"
        data={withChosen(
          ["baseline", ...variations.map(({ name }) => name)].map((name) => ({
            value: name,
            label: variationName(name),
          })),
          search.variation_type,
          variationName,
        )}
        value={search.variation_type}
        onChange={(type) => onChange({ variation_type: word(type) })}
      />
      <OneOfSome
        label="Agent"
        any="Any agent"
        data={withChosen(
          agents.map(({ id, name }) => ({ value: String(id), label: name })),
          search.agent_id === undefined ? undefined : String(search.agent_id),
          (id) => `Agent ${id}`,
        )}
        value={search.agent_id === undefined ? undefined : String(search.agent_id)}
        onChange={(id) => onChange({ agent_id: whole(id ?? undefined) })}
      />
      <Chip
        size="xs"
        variant="outline"
        radius="sm"
        checked={search.confirmed === true}
        onChange={(only) => onChange({ confirmed: only || undefined })}
      >
        confirmed
      </Chip>
      {search.confirmed === false && (
        <Button size="compact-xs" variant="light" onClick={() => onChange({ confirmed: undefined })}>
          Not confirmed only ×
        </Button>
      )}
      {search.matrix_id !== undefined && (
        <Button size="compact-xs" variant="light" onClick={() => onChange({ matrix_id: undefined })}>
          Matrix {search.matrix_id.slice(0, 8)} only ×
        </Button>
      )}
      {active && (
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

interface Option {
  value: string;
  label: string;
}

interface OneOfSomeProps {
  label: string;
  any: string;
  data: Option[];
  value: string | undefined;
  onChange: (value: string | null) => void;
}

function OneOfSome({ label, any, data, value, onChange }: OneOfSomeProps) {
  return (
    <Select
      aria-label={label}
      placeholder={any}
      size="xs"
      w={HALF}
      clearable
      searchable={data.length > 8}
      clearButtonProps={{ "aria-label": any }}
      nothingFoundMessage="Nothing of that name"
      data={data}
      value={value ?? null}
      onChange={onChange}
    />
  );
}

/** What the address names is offered even where the list does not have it. */
function withChosen(options: Option[], value: string | undefined, name: (value: string) => string): Option[] {
  if (value === undefined || options.some((option) => option.value === value)) return options;
  return [...options, { value, label: name(value) }];
}
