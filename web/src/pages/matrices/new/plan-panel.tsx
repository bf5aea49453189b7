import { Alert, Button, Stack, Text } from "@mantine/core";
import { IconAlertTriangle, IconPlayerPlay } from "@tabler/icons-react";
import type { Problem } from "~/api/problem";
import { counted } from "~/components/counted";
import { Panel } from "~/components/page";
import { Refusal } from "~/components/refusal";
import classes from "~/pages/matrices/matrices.module.css";
import { MOST_CELLS, MOST_RUNS, pWords, type Size } from "~/pages/matrices/new/size";

interface PlanPanelProps {
  size: Size;
  lacks: string | null;
  problem: Problem | null;
  starting: boolean;
}

/** What the choices come to, as they are made. */
export function PlanPanel({ size, lacks, problem, starting }: PlanPanelProps) {
  const tooMany = size.runs > MOST_RUNS || size.cells > MOST_CELLS;
  return (
    <div className={classes.plan}>
      <Panel title="What it comes to">
        <Stack gap="sm">
          <dl className={classes.figures}>
            <Figure name="Rows" value={size.rows.toLocaleString("en")} />
            <Figure name="Cells" value={size.cells.toLocaleString("en")} />
            <Figure name="Planned runs" value={size.runs.toLocaleString("en")} />
            <Figure
              name="Fresh runs"
              value={size.freshMax === 0 ? "none" : `up to ${size.freshMax.toLocaleString("en")}`}
            />
            <Figure name="Smallest p of a cell" value={size.cells === 0 ? "–" : pWords(size.minP)} />
          </dl>
          <Text size="xs" c="var(--ody-text-dim)">
            Reckoned in this browser from what is chosen here; the server reckons again when it starts.
          </Text>
          {size.warnings.map((warning) => (
            <Alert
              key={warning}
              color="yellow"
              variant="light"
              py="xs"
              icon={<IconAlertTriangle size={16} />}
              role="status"
            >
              <Text size="xs">{warning}</Text>
            </Alert>
          ))}
          <Refusal error={problem} title="Not started" />
          {problem?.errors.map(({ loc, msg }) => (
            <Text key={`${loc.join(".")} ${msg}`} size="xs" c="var(--band-red)">
              {msg}
            </Text>
          ))}
          <Button
            type="submit"
            leftSection={<IconPlayerPlay size={15} />}
            loading={starting}
            disabled={lacks !== null || tooMany}
          >
            {size.runs === 0 ? "Start" : `Start ${counted(size.runs, "run")}`}
          </Button>
          {lacks !== null && (
            <Text size="xs" c="var(--ody-text-dim)" role="status">
              {lacks}
            </Text>
          )}
        </Stack>
      </Panel>
    </div>
  );
}

function Figure({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}
