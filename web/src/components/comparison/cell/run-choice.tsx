import { Select } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type Cell, type EvalRunSummary, evalRunsQuery } from "~/api/evals";

const MOST_RUNS = 200;

interface RunChoiceProps {
  label: string;
  cell: Cell;
  groups: [name: string, ids: number[]][];
  typical: number | undefined;
  value: number;
  onChange: (id: number) => void;
}

/** Another run of the same side. */
export function RunChoice({ label, cell, groups, typical, value, onChange }: RunChoiceProps) {
  const baseline = groups[0]?.[0] === "Baselines";
  const { data } = useQuery(
    evalRunsQuery(
      { scenario_id: cell.scenario_id, variation_type: baseline ? "baseline" : cell.variation_type },
      MOST_RUNS,
    ),
  );
  const known = new Map(data?.items.map((run) => [run.id, run]));
  const option = (id: number) => ({ value: String(id), label: nameOf(id, known.get(id), id === typical) });
  const filled = groups.filter(([, ids]) => ids.length > 0);
  const listed = filled.some(([, ids]) => ids.includes(value));
  return (
    <Select
      aria-label={label}
      size="xs"
      w={190}
      allowDeselect={false}
      searchable={filled.reduce((total, [, ids]) => total + ids.length, 0) > 12}
      data={[
        ...filled.map(([group, ids]) => ({ group, items: ids.map(option) })),
        ...(listed ? [] : [{ group: "Of another cell", items: [option(value)] }]),
      ]}
      value={String(value)}
      onChange={(id) => id !== null && onChange(Number(id))}
    />
  );
}

function nameOf(id: number, run: EvalRunSummary | undefined, typical: boolean): string {
  const matched = run?.matched == null ? "" : run.matched ? ", matched" : ", no match";
  return `Run ${id}${typical ? ", typical" : ""}${matched}`;
}
