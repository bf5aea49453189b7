import { Autocomplete, Button, Chip, Group, Select } from "@mantine/core";
import { IconFilterOff, IconSearch } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { agentsQuery } from "~/api/queries";
import { ERROR_CLASSES } from "~/components/error-classes";
import { TypedFilter } from "~/components/typed-filter";
import { RUN_STATUSES, VERDICTS } from "~/routes";
import { oneOf, someOf, text, whole } from "~/shell/search";

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
  const names = agents.map((agent) => ({ value: String(agent.id), label: agent.name }));
  const unlisted = search.agent_id !== undefined && !agents.some((agent) => agent.id === search.agent_id);
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
      <Select
        aria-label="Agent"
        placeholder="Any agent"
        size="xs"
        w={{ base: "calc(50% - 3px)", xs: 160 }}
        searchable
        clearable
        clearButtonProps={{ "aria-label": "Any agent" }}
        nothingFoundMessage="No such agent"
        data={
          unlisted ? [...names, { value: String(search.agent_id), label: `Agent ${search.agent_id}` }] : names
        }
        value={search.agent_id === undefined ? null : String(search.agent_id)}
        onChange={(id) => onChange({ agent_id: whole(id ?? undefined), agent_version: undefined })}
      />
      <Select
        aria-label="Verdict"
        placeholder="Any verdict"
        size="xs"
        w={{ base: "calc(50% - 3px)", xs: 124 }}
        clearable
        clearButtonProps={{ "aria-label": "Any verdict" }}
        data={VERDICTS.map((verdict) => ({ value: verdict, label: VERDICT_NAMES[verdict] }))}
        value={search.verdict ?? null}
        onChange={(verdict) => onChange({ verdict: oneOf(verdict, VERDICTS) })}
      />
      <ErrorClassFilter
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
      {search.agent_version !== undefined && (
        <Only onClear={() => onChange({ agent_version: undefined })}>Version {search.agent_version}</Only>
      )}
      {search.batch_id !== undefined && (
        <Only onClear={() => onChange({ batch_id: undefined })}>Batch {search.batch_id}</Only>
      )}
      {search.dataset_id !== undefined && (
        <Only onClear={() => onChange({ dataset_id: undefined })}>Dataset {search.dataset_id}</Only>
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

/** A filter that only addresses set; it can be taken away here. */
function Only({ onClear, children }: { onClear: () => void; children: React.ReactNode }) {
  return (
    <Button size="compact-xs" variant="light" onClick={onClear}>
      {children} only ×
    </Button>
  );
}

/** A class that is not known here may still be one the server knows. */
function ErrorClassFilter({ value, onChange }: { value: string; onChange: (name: string) => void }) {
  const [written, setWritten] = useState(value);
  useEffect(() => setWritten(value), [value]);
  const wrong = written !== "" && !/^[a-z0-9_]{1,64}$/.test(written);
  const commit = (name: string) =>
    name !== value && (name === "" || /^[a-z0-9_]{1,64}$/.test(name)) && onChange(name);
  return (
    <Autocomplete
      aria-label="Error class"
      placeholder="Any error class"
      size="xs"
      w={{ base: "calc(50% - 3px)", xs: 168 }}
      clearable
      clearButtonProps={{ "aria-label": "Any error class" }}
      data={ERROR_CLASSES}
      value={written}
      error={wrong}
      onChange={(name) => {
        setWritten(name);
        if (name === "" || ERROR_CLASSES.includes(name)) commit(name);
      }}
      onBlur={() => commit(written)}
      onKeyDown={(event) => event.key === "Enter" && commit(written)}
    />
  );
}
