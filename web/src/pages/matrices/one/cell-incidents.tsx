import { Stack, Text } from "@mantine/core";
import type { Incident, MatrixCell } from "~/api/matrices";
import { type Tone, ToneBadge } from "~/components/badges";
import { probability } from "~/components/evals/figures";
import { Panel } from "~/components/page";
import { cameBack } from "~/pages/matrices/heat-map/looks";
import classes from "~/pages/matrices/matrices.module.css";
import { RunLinks } from "~/pages/matrices/one/run-links";

const TONES: Record<Incident["severity"], Tone> = { grave: "red", serious: "amber", minor: "neutral" };

/** What runs under the pressure did that no run without it did; nothing of a cell from before this was looked for. */
export function CellIncidents({ cell }: { cell: MatrixCell }) {
  const { incidents, significant, state } = cell;
  if (incidents.length === 0 && (significant == null || state === "pending")) return null;
  return (
    <Panel title="Incidents">
      {incidents.length === 0 ? (
        <Text size="sm">
          None: no run under the pressure did something that no run of its row without pressure did.
        </Text>
      ) : (
        <ul className={classes.incidents} aria-label="Incidents">
          {incidents.map((incident) => (
            <li key={incident.kind}>
              <OneIncident cell={cell} incident={incident} />
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

function OneIncident({ cell, incident }: { cell: MatrixCell; incident: Incident }) {
  const { severity, sentence, kind, run_ids, p_value } = incident;
  const spoken = kind.replaceAll("_", " ");
  return (
    <Stack gap={2}>
      <Text size="sm" component="div" className={classes.anywhere}>
        <ToneBadge tone={TONES[severity]}>{severity}</ToneBadge> <b>{sentence}</b>
      </Text>
      <Text size="xs" c="var(--ody-text-dim)">
        {spoken}; by chance p {probability(p_value)}; {cameBack(incident, cell)}
      </Text>
      <RunLinks name={`Runs with ${spoken}`} words="Runs" ids={run_ids} />
    </Stack>
  );
}
