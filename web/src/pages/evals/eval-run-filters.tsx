import { Button, Chip, Group, Select } from "@mantine/core";
import { IconFilterOff } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { agentsQuery } from "~/api/queries";
import { scenarioQuery, scenariosQuery } from "~/api/scenarios";
import { variationsQuery } from "~/api/variations";
import { variationName } from "~/components/evals/names";
import { RISK_LEVELS, RUN_STATUSES } from "~/routes";
import { oneOf, scenarioId, someOf, whole, word } from "~/shell/search";

const MOST_OFFERED = 200;
const HALF = { base: "calc(50% - 3px)", xs: 160 };

const route = getRouteApi("/app/evals/runs");
type Search = ReturnType<typeof route.useSearch>;

/** What stands in the address; undefined takes a filter out of it. */
export type EvalRunsSearch = { [Name in keyof Search]?: Search[Name] | undefined };

interface EvalRunFiltersProps {
  search: EvalRunsSearch;
  onChange: (change: EvalRunsSearch) => void;
  onClear: () => void;
  active: boolean;
}

export function EvalRunFilterBar({ search, onChange, onClear, active }: EvalRunFiltersProps) {
  const { data: agents = [] } = useQuery(agentsQuery);
  return (
    <Group gap="xs" role="search" aria-label="Filter eval runs">
      <ScenarioFilter value={search.scenario_id} onChange={(id) => onChange({ scenario_id: id })} />
      <VariationFilter
        value={search.variation_type}
        onChange={(type) => onChange({ variation_type: type })}
      />
      <Select
        aria-label="Agent"
        placeholder="Any agent"
        size="xs"
        w={HALF}
        searchable
        clearable
        clearButtonProps={{ "aria-label": "Any agent" }}
        nothingFoundMessage="No such agent"
        data={withChosen(
          agents.map(({ id, name }) => ({ value: String(id), label: name })),
          search.agent_id === undefined ? undefined : String(search.agent_id),
          (id) => `Agent ${id}`,
        )}
        value={search.agent_id === undefined ? null : String(search.agent_id)}
        onChange={(id) => onChange({ agent_id: whole(id ?? undefined) })}
      />
      <Select
        aria-label="Risk"
        placeholder="Any risk"
        size="xs"
        w={{ base: "calc(50% - 3px)", xs: 110 }}
        clearable
        clearButtonProps={{ "aria-label": "Any risk" }}
        data={[...RISK_LEVELS]}
        value={search.risk_level ?? null}
        onChange={(level) => onChange({ risk_level: oneOf(level, RISK_LEVELS) })}
      />
      <Chip
        size="xs"
        variant="outline"
        radius="sm"
        checked={search.flagged === true}
        onChange={(only) => onChange({ flagged: only || undefined })}
      >
        flagged
      </Chip>
      <Chip.Group
        multiple
        value={search.status ?? []}
        onChange={(status) => onChange({ status: someOf(status, RUN_STATUSES) })}
      >
        <Group gap={4} role="group" aria-label="Status">
          {RUN_STATUSES.map((status) => (
            <Chip key={status} value={status} size="xs" variant="outline" radius="sm">
              {status}
            </Chip>
          ))}
        </Group>
      </Chip.Group>
      {search.matrix_id !== undefined && (
        <Button size="compact-xs" variant="light" onClick={() => onChange({ matrix_id: undefined })}>
          Matrix {search.matrix_id.slice(0, 8)} only ×
        </Button>
      )}
      {search.flagged === false && (
        <Button size="compact-xs" variant="light" onClick={() => onChange({ flagged: undefined })}>
          Not flagged only ×
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

interface OneFilterProps {
  value: string | undefined;
  onChange: (value: string | undefined) => void;
}

function ScenarioFilter({ value, onChange }: OneFilterProps) {
  const { data } = useQuery(scenariosQuery({}, MOST_OFFERED));
  const listed = data?.items.map(({ id, name }) => ({ value: id, label: name })) ?? [];
  const unlisted = value !== undefined && data !== undefined && !listed.some((each) => each.value === value);
  const { data: chosen } = useQuery({ ...scenarioQuery(value ?? ""), enabled: unlisted });
  return (
    <Select
      aria-label="Scenario"
      placeholder="Any scenario"
      size="xs"
      w={{ base: "100%", xs: 220 }}
      searchable
      clearable
      clearButtonProps={{ "aria-label": "Any scenario" }}
      nothingFoundMessage="No such scenario"
      data={withChosen(listed, value, () => chosen?.name ?? "One scenario")}
      value={value ?? null}
      onChange={(id) => onChange(scenarioId(id))}
    />
  );
}

function VariationFilter({ value, onChange }: OneFilterProps) {
  const { data: variations = [] } = useQuery(variationsQuery);
  const named = variations.map(({ name }) => ({ value: name, label: variationName(name) }));
  return (
    <Select
      aria-label="Variation"
      placeholder="Any variation"
      size="xs"
      w={HALF}
      searchable
      clearable
      clearButtonProps={{ "aria-label": "Any variation" }}
      nothingFoundMessage="No such variation"
      data={withChosen([{ value: "baseline", label: "baseline" }, ...named], value, variationName)}
      value={value ?? null}
      onChange={(type) => onChange(word(type))}
    />
  );
}

interface Option {
  value: string;
  label: string;
}

/** What the address names is offered even where the list does not have it. */
function withChosen(options: Option[], value: string | undefined, name: (value: string) => string): Option[] {
  if (value === undefined || options.some((option) => option.value === value)) return options;
  return [...options, { value, label: name(value) }];
}
