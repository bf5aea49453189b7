import { Loader, Stack, Text } from "@mantine/core";
import type { FieldError, Problem } from "~/api/problem";
import { type Tone, toneColor } from "~/components/badges";
import { counted } from "~/components/counted";
import { Refusal } from "~/components/refusal";
import classes from "~/pages/worlds/import/import.module.css";
import type { ImportRequest, Preview } from "~/pages/worlds/import/use-import";

const MOST_SHOWN = 50;

interface PreviewViewProps {
  preview: Preview;
  request: ImportRequest | null;
  /** What is to be done before anything can be told. */
  missing: string;
}

export function PreviewView({ preview: { result, problem, checking }, request, missing }: PreviewViewProps) {
  if (request === null) {
    return (
      <Text size="sm" c="var(--ody-text-dim)">
        {missing}
      </Text>
    );
  }
  if (problem) return <Faults problem={problem} />;
  if (result === null) return <Loader size="sm" role="status" aria-label="Checking" />;
  const counts: [string, number, Tone][] = [
    ["added", result.added, "green"],
    ["changed", result.changed, "live"],
    ["removed", result.removed, "red"],
  ];
  return (
    <Stack gap="xs" role="status" aria-label="Preview" aria-busy={checking} opacity={checking ? 0.6 : 1}>
      <Text size="sm" style={{ overflowWrap: "anywhere" }}>
        {counted(result.imported, "row")} as <b>{request.entityType}</b>
        {request.idField !== null && (
          <>
            {" "}
            by <b>{request.idField}</b>
          </>
        )}
        :
      </Text>
      <dl className={classes.counts}>
        {counts.map(([what, count, tone]) => (
          <div key={what}>
            <dt>{what}</dt>
            <dd style={count > 0 ? { color: toneColor(tone) } : {}}>{count.toLocaleString("en")}</dd>
          </div>
        ))}
        <div>
          <dt>unchanged</dt>
          <dd>{Math.max(result.imported - result.added - result.changed, 0).toLocaleString("en")}</dd>
        </div>
      </dl>
      {result.warnings.map((warning) => (
        <Text key={warning} size="xs" c="var(--band-amber)" style={{ overflowWrap: "anywhere" }}>
          {warning}
        </Text>
      ))}
    </Stack>
  );
}

/** What is wrong with which row; as in the server's words, the first is row 0. */
function Faults({ problem }: { problem: Problem }) {
  const rows = problem.errors.filter(({ loc }) => loc[0] === "rows");
  const others = problem.errors.filter(({ loc }) => loc[0] !== "rows");
  if (rows.length === 0 && others.length === 0) return <Refusal error={problem} />;
  return (
    <Stack gap="xs" role="alert">
      <Text size="sm" fw={600} c="var(--band-red)">
        {counted(problem.errors.length, "thing")} to mend before it can be imported
      </Text>
      <ul className={classes.faults}>
        {problem.errors.slice(0, MOST_SHOWN).map((fault) => (
          <li key={`${fault.loc.join(".")} ${fault.msg}`}>
            <span className={classes.place}>{placeOf(fault)}</span> {fault.msg}
          </li>
        ))}
        {problem.errors.length > MOST_SHOWN && <li>and {problem.errors.length - MOST_SHOWN} more</li>}
      </ul>
    </Stack>
  );
}

function placeOf({ loc }: FieldError): string {
  const [where, row, ...rest] = loc;
  if (where !== "rows" || row === undefined) return loc.join(".");
  return [`row ${row}`, ...rest].join(", ");
}
