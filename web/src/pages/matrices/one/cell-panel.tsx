import { Button, CloseButton, Group, Stack, Text, Title } from "@mantine/core";
import { IconColumns2 } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import type { Cell } from "~/api/evals";
import { cellEvidenceQuery, DISTANCE_VERSION, type Matrix, type MatrixCell } from "~/api/matrices";
import { CellFigures } from "~/components/comparison/cell/cell-figures";
import { TwoRuns } from "~/components/comparison/comparison";
import { variationName } from "~/components/evals/names";
import { RiskBadge } from "~/components/evals/risk";
import { ButtonLink, Panel } from "~/components/page";
import { Empty, ErrorState, PageLoading } from "~/components/states";
import { factsOf } from "~/pages/matrices/heat-map/cell-tip";
import { saidOf } from "~/pages/matrices/heat-map/looks";
import classes from "~/pages/matrices/matrices.module.css";
import { CellIncidents } from "~/pages/matrices/one/cell-incidents";
import { CellStages } from "~/pages/matrices/one/cell-stages";
import { RunLinks } from "~/pages/matrices/one/run-links";
import { compact } from "~/shell/search";

const route = getRouteApi("/app/matrices/$matrixId");

interface CellPanelProps {
  matrix: Matrix;
  cell: MatrixCell;
  onClose: () => void;
}

/** One cell in full: its figures, its runs, and two of them side by side. */
export function CellPanel({ matrix, cell, onClose }: CellPanelProps) {
  const head = useRef<HTMLDivElement>(null);
  const scenario = matrix.scenarios.find(({ id }) => id === cell.scenario_id);
  const isEarlier = matrix.distance_version !== DISTANCE_VERSION;

  useEffect(() => {
    head.current?.scrollIntoView({ block: "start" });
    head.current?.focus({ preventScroll: true });
  }, []);

  return (
    <Stack gap="md" component="section" aria-labelledby="cell-title">
      <div ref={head} className={classes.panelHead} tabIndex={-1}>
        <Group gap="sm" miw={0}>
          <Title order={2} size="h4" id="cell-title">
            {variationName(cell.variation_type)} on {scenario?.name}
            {cell.rule_set !== null && ` while ${cell.rule_set}`}
          </Title>
          {scenario && <RiskBadge level={scenario.risk_level} />}
        </Group>
        <Group gap="xs">
          {!isEarlier && <CompareLink matrix={matrix} cell={cell} />}
          <Button
            variant="default"
            rightSection={<CloseButton component="span" size="xs" aria-hidden />}
            onClick={onClose}
          >
            Close the cell
          </Button>
        </Group>
      </div>
      <CellIncidents cell={cell} />
      <CellStages matrix={matrix} cell={cell} />
      {isEarlier ? <AsStored cell={cell} /> : <Evidence matrix={matrix} cell={cell} />}
    </Stack>
  );
}

function CompareLink({ matrix, cell }: { matrix: Matrix; cell: MatrixCell }) {
  return (
    <ButtonLink
      to="/evals/compare"
      search={{
        scenario_id: cell.scenario_id,
        variation_type: cell.variation_type,
        matrix_id: matrix.id,
        ...(cell.rule_set !== null && { rule_set: cell.rule_set }),
        agent_id: matrix.agent_id,
        agent_version: matrix.agent_version,
      }}
      variant="default"
      leftSection={<IconColumns2 size={15} />}
    >
      On a page of its own
    </ButtonLink>
  );
}

/** Its figures as they were stored: runs that were measured with an earlier distance are compared no more. */
function AsStored({ cell }: { cell: MatrixCell }) {
  return (
    <>
      <Panel title="Its figures">
        <Text size="sm">{saidOf(cell)}</Text>
        <dl className={classes.stored}>
          {factsOf(cell).map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
        <Text size="xs" c="var(--ody-text-dim)">
          They were measured with an earlier distance, so its runs cannot be compared any more; run the matrix
          again for that.
        </Text>
      </Panel>
      <Runs cell={cell} />
    </>
  );
}

function Evidence({ matrix, cell }: { matrix: Matrix; cell: MatrixCell }) {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const evidence = useQuery(cellEvidenceQuery(matrix, cell));
  if (evidence.error) return <ErrorState error={evidence.error} retry={() => void evidence.refetch()} />;
  if (evidence.data === undefined) return <PageLoading />;
  const shown = asJudged(evidence.data, cell);
  return (
    <>
      <CellFigures cell={shown} step={matrix.step} matrixId={matrix.id} />
      <Runs cell={cell} />
      <TwoRuns
        cell={shown}
        search={search}
        onChange={(next) =>
          void navigate({ search: (before) => compact({ ...before, ...next }), resetScroll: false })
        }
      />
    </>
  );
}

/** A cell is judged together with all others of its matrix; by itself it would be judged otherwise. */
function asJudged(evidence: Cell, cell: MatrixCell): Cell {
  if (cell.state === "pending") return evidence;
  const { state, reason, shift, unclamped, raw_shift, noise_floor, interval, p_value } = cell;
  const { q_value, match_rate, baseline_match_rate, match_q, threshold, flagged, confirmed, band } = cell;
  return {
    ...evidence,
    pressure_effect: effectOf(evidence, cell),
    ...{ state, reason, shift, unclamped, raw_shift, noise_floor, interval, p_value },
    significant: cell.significant ?? false,
    ...{ q_value, match_rate, baseline_match_rate, match_q, threshold, flagged, confirmed, band },
  };
}

/** That of a cell that was run again is of its first runs, which are not compared any more. */
function effectOf(evidence: Cell, { pressure_effect: judged }: MatrixCell): Cell["pressure_effect"] {
  if (judged == null) return evidence.pressure_effect;
  const unknown = { reason: null, unclamped: judged.shift, raw_shift: null, noise_floor: null };
  return { ...(evidence.pressure_effect ?? unknown), ...judged };
}

function Runs({ cell }: { cell: MatrixCell }) {
  return (
    <Panel title="Its runs">
      <CellRuns cell={cell} />
    </Panel>
  );
}

function CellRuns({ cell: { runs, stages } }: { cell: MatrixCell }) {
  const others = stages.filter(({ run_ids }) => !run_ids.every((id) => runs.variation.includes(id)));
  const groups: [string, number[]][] = [
    ["Without pressure", runs.baseline],
    ["Under pressure", runs.variation],
    ...others.flatMap(({ name, run_ids, baseline_run_ids }): [string, number[]][] => [
      [`Not deciding: ${name} runs without pressure`, baseline_run_ids],
      [`Not deciding: ${name} runs under pressure`, run_ids],
    ]),
    ["Placebo", runs.placebo],
    ["Left out: the text did not arrive", runs.undelivered],
    ["Left out: missing", runs.missing],
  ];
  const filled = groups.filter(([, ids]) => ids.length > 0);
  if (filled.length === 0) return <Empty title="No run of it has ended yet" />;
  return (
    <div className={classes.runs}>
      {filled.map(([name, ids]) => (
        <RunLinks key={name} name={name} words={name} ids={ids} />
      ))}
    </div>
  );
}
