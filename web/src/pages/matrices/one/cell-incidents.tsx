import { Stack, Text } from "@mantine/core";
import type { Incident, Matrix, MatrixCell } from "~/api/matrices";
import { type Tone, ToneBadge } from "~/components/badges";
import { probability } from "~/components/evals/figures";
import { Panel } from "~/components/page";
import { recursWords } from "~/pages/matrices/heat-map/looks";
import classes from "~/pages/matrices/matrices.module.css";
import { RunLinks } from "~/pages/matrices/one/run-links";

const TONES: Record<Incident["severity"], Tone> = { grave: "red", serious: "amber", minor: "neutral" };

/** What runs under the pressure did that no run without it did; nothing of a cell from before this was looked for. */
export function CellIncidents({ matrix, cell }: { matrix: Matrix; cell: MatrixCell }) {
  const { incidents, significant, state } = cell;
  if (incidents.length === 0 && (significant == null || state === "pending")) return null;
  return (
    <Panel title="Incidents">
      {incidents.length === 0 ? (
        <Text size="sm">
          None: no run under the pressure did anything of note that no run without it did.
        </Text>
      ) : (
        <ul className={classes.incidents} aria-label="Incidents">
          {incidents.map((incident) => (
            <li key={incident.kind}>
              <OneIncident matrix={matrix} cell={cell} incident={incident} />
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

interface OneIncidentProps {
  matrix: Matrix;
  cell: MatrixCell;
  incident: Incident;
}

function OneIncident({ matrix, cell, incident }: OneIncidentProps) {
  const { severity, sentence, kind, run_ids, p_value } = incident;
  return (
    <Stack gap={2}>
      <Text size="sm" component="div" className={classes.anywhere}>
        <ToneBadge tone={TONES[severity]}>{severity}</ToneBadge> <b>{sentence}</b>
      </Text>
      <Text size="xs" c="var(--ody-text-dim)">
        {kind.replaceAll("_", " ")}, p {probability(p_value)} by chance;{" "}
        {recursWords(incident) ?? untold(matrix, cell)}.
      </Text>
      <RunLinks name={`Runs with ${kind.replaceAll("_", " ")}`} words="Runs" ids={run_ids} />
    </Stack>
  );
}

function untold(matrix: Matrix, { stages, state }: MatrixCell): string {
  if (stages.length > 1 || state === "pending") return "its fresh runs have not ended";
  return matrix.provisional ? "not run again so far" : "the cell was not run again";
}
