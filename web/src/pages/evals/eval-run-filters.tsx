import { Chip, Group } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { agentsQuery } from "~/api/queries";
import { scenarioQuery, scenariosQuery } from "~/api/scenarios";
import { variationsQuery } from "~/api/variations";
import { RISK_LEVELS, variationName } from "~/components/evals/names";
import {
  ChipsFilter,
  ChoiceFilter,
  ClearFilters,
  NamedFilter,
  Only,
  withChosen,
} from "~/components/list/filters";
import { RUN_STATUSES } from "~/routes";
import { oneOf, scenarioId, someOf, word } from "~/shell/search";

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
      <NamedFilter
        label="Agent"
        any="Any agent"
        nothingFound="No such agent"
        w={HALF}
        choices={agents}
        value={search.agent_id}
        onChange={(agent_id) => onChange({ agent_id })}
      />
      <ChoiceFilter
        label="Risk"
        any="Any risk"
        w={{ base: "calc(50% - 3px)", xs: 110 }}
        data={[...RISK_LEVELS]}
        value={search.risk_level}
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
      <ChipsFilter
        label="Status"
        choices={RUN_STATUSES}
        value={search.status ?? []}
        onChange={(status) => onChange({ status: someOf(status, RUN_STATUSES) })}
      />
      {search.matrix_id !== undefined && (
        <Only onClear={() => onChange({ matrix_id: undefined })}>Matrix {search.matrix_id.slice(0, 8)}</Only>
      )}
      {search.flagged === false && <Only onClear={() => onChange({ flagged: undefined })}>Not flagged</Only>}
      {active && <ClearFilters onClear={onClear} />}
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
    <ChoiceFilter
      label="Scenario"
      any="Any scenario"
      nothingFound="No such scenario"
      w={{ base: "100%", xs: 220 }}
      searchable
      data={withChosen(listed, value, () => chosen?.name ?? "One scenario")}
      value={value}
      onChange={(id) => onChange(scenarioId(id))}
    />
  );
}

function VariationFilter({ value, onChange }: OneFilterProps) {
  const { data: variations = [] } = useQuery(variationsQuery);
  const named = variations.map(({ name }) => ({ value: name, label: variationName(name) }));
  return (
    <ChoiceFilter
      label="Variation"
      any="Any variation"
      nothingFound="No such variation"
      w={HALF}
      searchable
      data={withChosen([{ value: "baseline", label: "baseline" }, ...named], value, variationName)}
      value={value}
      onChange={(type) => onChange(word(type))}
    />
  );
}
