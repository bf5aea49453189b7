import { Group } from "@mantine/core";
import { IconSearch } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { agentsQuery } from "~/api/queries";
import { ERROR_CLASSES } from "~/components/error-classes";
import { ChipsFilter, ChoiceFilter, ClearFilters, NamedFilter, Only } from "~/components/list/filters";
import { OfferedFilter } from "~/components/list/offered-filter";
import { TypedFilter } from "~/components/typed-filter";
import { RUN_STATUSES, VERDICTS } from "~/routes";
import { oneOf, someOf, text, whole, word } from "~/shell/search";

const VERDICT_NAMES: Record<(typeof VERDICTS)[number], string> = {
  PASS: "pass",
  FAIL: "fail",
  PENDING: "pending",
  "NOT APPLICABLE": "not graded",
};
const LONGEST_Q = 200;

const route = getRouteApi("/app/runs");
type Search = ReturnType<typeof route.useSearch>;

/** What stands in the address; undefined takes a filter out of it. */
export type RunsSearch = { [Name in keyof Search]?: Search[Name] | undefined };

interface RunFiltersProps {
  search: RunsSearch;
  /** `replace`: no new entry in the history, for what is typed letter by letter. */
  onChange: (change: RunsSearch, replace?: boolean) => void;
  onClear: () => void;
  active: boolean;
}

export function RunFilterBar({ search, onChange, onClear, active }: RunFiltersProps) {
  const { data: agents = [] } = useQuery(agentsQuery);
  return (
    <Group gap="xs" role="search" aria-label="Filter runs">
      <TypedFilter
        label="Part of the instruction"
        placeholder="Filter by instruction"
        value={search.q ?? ""}
        onChange={(q) => onChange({ q: text(q) }, true)}
        icon={<IconSearch size={14} aria-hidden />}
        w={{ base: "100%", xs: 220 }}
        maxLength={LONGEST_Q}
        filter
      />
      <NamedFilter
        label="Agent"
        any="Any agent"
        nothingFound="No such agent"
        w={{ base: "calc(50% - 3px)", xs: 160 }}
        choices={agents}
        value={search.agent_id}
        onChange={(agent_id) => onChange({ agent_id, agent_version: undefined })}
      />
      <ChoiceFilter
        label="Verdict"
        any="Any verdict"
        w={{ base: "calc(50% - 3px)", xs: 124 }}
        data={VERDICTS.map((verdict) => ({ value: verdict, label: VERDICT_NAMES[verdict] }))}
        value={search.verdict}
        onChange={(verdict) => onChange({ verdict: oneOf(verdict, VERDICTS) })}
      />
      <OfferedFilter
        label="Error class"
        any="Any error class"
        w={{ base: "calc(50% - 3px)", xs: 168 }}
        offered={ERROR_CLASSES}
        isValid={(name) => word(name) !== undefined}
        value={search.error_class ?? ""}
        onChange={(name) => onChange({ error_class: text(name) })}
      />
      <TypedFilter
        label="Task"
        placeholder="Task"
        value={search.task_id === undefined ? "" : String(search.task_id)}
        onChange={(id) => onChange({ task_id: whole(text(id)) }, true)}
        w={{ base: "calc(50% - 3px)", xs: 76 }}
        maxLength={15}
        numeric
      />
      <ChipsFilter
        label="Status"
        choices={RUN_STATUSES}
        value={search.status ?? []}
        onChange={(status) => onChange({ status: someOf(status, RUN_STATUSES) })}
      />
      {search.agent_version !== undefined && (
        <Only onClear={() => onChange({ agent_version: undefined })}>Version {search.agent_version}</Only>
      )}
      {search.batch_id !== undefined && (
        <Only onClear={() => onChange({ batch_id: undefined })}>Batch {search.batch_id}</Only>
      )}
      {search.dataset_id !== undefined && (
        <Only onClear={() => onChange({ dataset_id: undefined })}>Dataset {search.dataset_id}</Only>
      )}
      {active && <ClearFilters onClear={onClear} />}
    </Group>
  );
}
