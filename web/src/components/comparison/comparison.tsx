import { Button, Select, Stack } from "@mantine/core";
import { IconColumns2 } from "@tabler/icons-react";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import {
  type Cell,
  type CellQuery,
  type CellSource,
  type CellSummary,
  cellQuery,
  cellsQuery,
  evalRunQuery,
} from "~/api/evals";
import { CellChoice } from "~/components/comparison/cell/cell-choice";
import { CellFigures } from "~/components/comparison/cell/cell-figures";
import { RunChoice } from "~/components/comparison/cell/run-choice";
import { StartRuns } from "~/components/comparison/cell/start-runs";
import {
  type CellSearch,
  cellSearch,
  chosenCell,
  isPressed,
  type Pressed,
  sameGroup,
} from "~/components/comparison/cell-search";
import { SideBySide } from "~/components/comparison/side-by-side";
import { counted } from "~/components/counted";
import { variationName } from "~/components/evals/names";
import { Empty, ErrorState, PageLoading } from "~/components/states";
import { compact } from "~/shell/search";

export type ChangeSearch = (change: Partial<CellSearch>) => void;

/** The runs of a scenario under one pressure beside those without it: in figures, and two of them in full. */
export function Comparison({ scenarioId }: { scenarioId: string }) {
  const search = cellSearch(useSearch({ strict: false }) as Record<string, unknown>);
  const navigate = useNavigate();
  const named = useQuery({ ...evalRunQuery(search.variation ?? 0), enabled: search.variation !== undefined });
  const asked = named.data?.matrix_id ?? search.matrix_id;
  const single = useQuery(cellsQuery(scenarioId, undefined));
  const hasSingle = single.data?.items.some(isPressed) ?? false;
  const matrixId = asked ?? (hasSingle ? undefined : single.data?.matrices[0]?.matrix_id);
  const ofMatrix = useQuery({ ...cellsQuery(scenarioId, matrixId), enabled: matrixId !== undefined });
  const { data, error, refetch } = matrixId === undefined ? single : ofMatrix;
  const change: ChangeSearch = (next) =>
    void navigate({
      to: ".",
      search: ((before: object) => compact({ ...before, ...next })) as never,
      resetScroll: false,
    });

  if (error && !data) return <ErrorState error={error} retry={() => void refetch()} />;
  if (named.error) return <ErrorState error={named.error} retry={() => void named.refetch()} />;
  if (!data || named.isLoading) return <PageLoading />;
  const cells = data.items;
  const cell = chosenCell(cells, search, named.data);
  if (cell === undefined) {
    return <NoCell scenarioId={scenarioId} cells={cells} search={search} onClear={() => change(NOTHING)} />;
  }
  return (
    <Stack gap="md">
      <SourceChoice
        matrices={data.matrices}
        matrixId={matrixId}
        hasSingle={hasSingle}
        onChange={(matrix_id) => change({ ...NOTHING, matrix_id })}
      />
      <CellChoice cells={cells} chosen={cell} onChange={change} />
      <Compared
        key={`${matrixId} ${cell.agent_id}`}
        scenarioId={scenarioId}
        matrixId={matrixId}
        cell={cell}
        baselines={cells.find((each) => !isPressed(each) && sameGroup(each, cell))}
        search={search}
        onChange={change}
      />
    </Stack>
  );
}

const NOTHING: Record<keyof CellSearch, undefined> = {
  variation_type: undefined,
  dose: undefined,
  delivery: undefined,
  step: undefined,
  agent_id: undefined,
  agent_version: undefined,
  scenario_version: undefined,
  matrix_id: undefined,
  rule_set: undefined,
  baseline: undefined,
  variation: undefined,
};

interface SourceChoiceProps {
  matrices: CellSource[];
  matrixId: string | undefined;
  /** Whether there are runs outside of matrices to choose. */
  hasSingle: boolean;
  onChange: (matrixId: string | undefined) => void;
}

/** Whether single runs are compared, or those of a matrix: their baselines are not the same. */
function SourceChoice({ matrices, matrixId, hasSingle, onChange }: SourceChoiceProps) {
  if (matrices.length === 0) return null;
  return (
    <Select
      label="Runs of"
      maw={360}
      allowDeselect={false}
      value={matrixId ?? SINGLE}
      data={[
        ...(hasSingle ? [{ value: SINGLE, label: "Single runs" }] : []),
        ...matrices.map(({ matrix_id, runs }) => ({
          value: matrix_id,
          label: `Matrix ${matrix_id.slice(0, 8)}, ${counted(runs, "run")}`,
        })),
      ]}
      onChange={(chosen) => onChange(chosen === null || chosen === SINGLE ? undefined : chosen)}
    />
  );
}

const SINGLE = "single";

interface NoCellProps {
  scenarioId: string;
  cells: CellSummary[];
  search: CellSearch;
  onClear: () => void;
}

function NoCell({ scenarioId, cells, search, onClear }: NoCellProps) {
  const icon = <IconColumns2 size={32} stroke={1.5} />;
  if (cells.some(isPressed)) {
    return (
      <Empty
        icon={icon}
        title="No such runs"
        action={
          <Button variant="default" onClick={onClear}>
            Show the newest
          </Button>
        }
      >
        The scenario has runs under a pressure, but none{" "}
        {search.variation_type && `under ${variationName(search.variation_type)} `}
        as the address asks for them.
      </Empty>
    );
  }
  const baselines = cells.reduce((total, { runs, pending }) => total + runs + pending, 0);
  const wanted = {
    scenario_id: scenarioId,
    variation_type: search.variation_type ?? "time_pressure",
    repeats: 4,
  };
  return (
    <Empty
      icon={icon}
      title={baselines === 0 ? "Nothing to compare yet" : "Only baselines so far"}
      action={
        <StartRuns
          wanted={baselines >= 4 ? [wanted] : [{ scenario_id: scenarioId, repeats: 12 }, wanted]}
          label={
            (baselines >= 4 ? "" : "12 baselines and ") +
            `4 runs under ${variationName(wanted.variation_type)}`
          }
        />
      }
    >
      A comparison needs at least 4 runs as they are and 3 under one pressure; 12 and 4 find a shift of 0.6
      about nine times in ten. Differences that baselines have among themselves are noise, and are taken off.
    </Empty>
  );
}

interface ComparedProps {
  scenarioId: string;
  matrixId: string | undefined;
  cell: Pressed;
  baselines: CellSummary | undefined;
  search: CellSearch;
  onChange: ChangeSearch;
}

function Compared({ scenarioId, matrixId, cell, baselines, search, onChange }: ComparedProps) {
  const { data, error, refetch, isPlaceholderData } = useQuery({
    ...cellQuery(askFor(scenarioId, matrixId, cell), stampOf(cell, baselines)),
    placeholderData: keepPreviousData,
  });
  if (error && !data) return <ErrorState error={error} retry={() => void refetch()} />;
  if (!data) return <PageLoading />;
  const shown = isPlaceholderData && !isOf(data, cell) ? undefined : data;
  if (shown === undefined) return <PageLoading />;
  return (
    <>
      <CellFigures cell={shown} step={cell.step} matrixId={matrixId} />
      <TwoRuns cell={shown} search={search} onChange={onChange} />
    </>
  );
}

function askFor(scenarioId: string, matrixId: string | undefined, cell: Pressed): CellQuery {
  return compact({
    scenario_id: scenarioId,
    variation_type: cell.variation_type,
    agent_id: cell.agent_id,
    agent_version: cell.agent_version,
    scenario_version: cell.scenario_version,
    matrix_id: matrixId,
    rule_set: cell.rule_set ?? undefined,
    delivery: cell.delivery ?? undefined,
    dose: cell.dose ?? undefined,
    step: cell.step ?? undefined,
  }) as CellQuery;
}

function stampOf(...cells: (CellSummary | undefined)[]): string {
  return cells
    .map((cell) => cell && [cell.runs, cell.placebo_runs, cell.pending, cell.latest_run].join("/"))
    .join(" ");
}

function isOf(data: Cell, cell: Pressed): boolean {
  return (
    data.variation_type === cell.variation_type &&
    data.dose === cell.dose &&
    data.requested_delivery === cell.delivery &&
    data.rule_set === cell.rule_set &&
    data.agent_version === cell.agent_version &&
    data.scenario_version === cell.scenario_version
  );
}

type ChosenRuns = Partial<Pick<CellSearch, "baseline" | "variation">>;

interface TwoRunsProps {
  cell: Cell;
  search: ChosenRuns;
  onChange: (change: ChosenRuns) => void;
}

/** A typical run of each side, unless others are chosen. */
export function TwoRuns({ cell, search, onChange }: TwoRunsProps) {
  const { runs, explanation } = cell;
  const [bringUp] = useState(search.baseline !== undefined && search.variation !== undefined);
  const baselineId = search.baseline ?? explanation?.baseline_run ?? runs.baseline[0];
  const variationId =
    search.variation ??
    explanation?.variation_run ??
    [...runs.variation, ...runs.undelivered, ...runs.placebo, ...runs.other_wording][0];
  const baseline = useQuery({ ...evalRunQuery(baselineId ?? 0), enabled: baselineId !== undefined });
  const variation = useQuery({ ...evalRunQuery(variationId ?? 0), enabled: variationId !== undefined });
  if (baselineId === undefined || variationId === undefined) {
    return (
      <Empty title="No two runs to lay side by side">
        {runs.pending.length > 0
          ? "Those that were started have not ended yet."
          : "One side has no run that says something of the agent."}
      </Empty>
    );
  }
  const error = baseline.error ?? variation.error;
  if (error) return <ErrorState error={error} />;
  if (!baseline.data || !variation.data) return <PageLoading />;
  return (
    <SideBySide
      baseline={baseline.data}
      variation={variation.data}
      moved={explanation?.moved ?? null}
      bringUp={bringUp}
      choices={[
        <RunChoice
          key="baseline"
          label="Baseline run"
          cell={cell}
          groups={[["Baselines", runs.baseline]]}
          typical={explanation?.baseline_run}
          value={baselineId}
          onChange={(id) => onChange({ baseline: id })}
        />,
        <RunChoice
          key="variation"
          label="Variation run"
          cell={cell}
          groups={[
            ["Under pressure", runs.variation],
            ["Placebo", runs.placebo],
            ["Not delivered", runs.undelivered],
            ["Worded otherwise", runs.other_wording],
          ]}
          typical={explanation?.variation_run}
          value={variationId}
          onChange={(id) => onChange({ variation: id })}
        />,
      ]}
    />
  );
}
