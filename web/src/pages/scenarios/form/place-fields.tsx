import { Select } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { Agent } from "~/api/queries";
import { worldsQuery } from "~/api/worlds";

interface PlaceFieldProps {
  value: number | null;
  onChange: (id: number | null) => void;
  error: string | null;
}

export function WorldField(props: PlaceFieldProps) {
  const { data: worlds } = useQuery(worldsQuery);
  return (
    <NamedSelect
      {...props}
      things={worlds}
      label="World"
      none="An empty world"
      description="What the simulated back end holds when its runs begin."
    />
  );
}

export function ScenarioAgentField({ agents, ...props }: PlaceFieldProps & { agents: Agent[] | undefined }) {
  return (
    <NamedSelect
      {...props}
      things={agents}
      label="Agent"
      none="Chosen for each run"
      description="The agent it is meant for; a run may name another."
    />
  );
}

interface NamedSelectProps extends PlaceFieldProps {
  things: { id: number; name: string }[] | undefined;
  label: string;
  /** What no choice means. */
  none: string;
  description: string;
}

function NamedSelect({ things, value, onChange, error, label, none, description }: NamedSelectProps) {
  const gone = value !== null && things !== undefined && !things.some(({ id }) => id === value);
  return (
    <Select
      label={label}
      description={description}
      placeholder={none}
      searchable
      clearable
      clearButtonProps={{ "aria-label": `${label}: ${none.toLowerCase()}` }}
      nothingFoundMessage={`No such ${label.toLowerCase()}`}
      data={(things ?? []).map(({ id, name }) => ({ value: String(id), label: name }))}
      value={value === null || gone ? null : String(value)}
      onChange={(id) => onChange(id === null ? null : Number(id))}
      error={gone ? `There is no ${label.toLowerCase()} ${value} any more; choose another, or none.` : error}
      maw={480}
    />
  );
}
