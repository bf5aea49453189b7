import { writeJson } from "~/api/json";
import { JsonView } from "~/components/json-view";
import { Section } from "~/components/section";
import { duration } from "~/components/time";
import classes from "~/pages/run/transcript/transcript.module.css";
import type { RunView } from "~/pages/run/view";

const FIRST_CLASS: [key: string, label: string, show: (value: unknown) => string][] = [
  ["model", "Model", String],
  ["system_prompt_id", "System prompt", String],
  ["total_input_tokens", "Input tokens", count],
  ["total_output_tokens", "Output tokens", count],
  [
    "agent_runtime_ms",
    "Agent runtime",
    (value) => (typeof value === "number" ? duration(value) : String(value)),
  ],
];

/** What the agent tells about how it worked; well-known keys as figures, the rest in a table. */
export function Metadata({ view: { run } }: { view: RunView }) {
  const metadata = run.metadata;
  if (!metadata || Object.keys(metadata).length === 0) return null;
  const figures = FIRST_CLASS.filter(([key]) => metadata[key] !== undefined && metadata[key] !== null);
  const known = new Set(FIRST_CLASS.map(([key]) => key));
  const rest = Object.entries(metadata).filter(([key]) => !known.has(key));
  return (
    <Section title="Metadata">
      {figures.length > 0 && (
        <dl className={classes.figures}>
          {figures.map(([key, label, show]) => (
            <div key={key}>
              <dt>{label}</dt>
              <dd>{show(metadata[key])}</dd>
            </div>
          ))}
        </dl>
      )}
      {rest.length > 0 && (
        <table className={classes.rest} aria-label="Other metadata">
          <tbody>
            {rest.map(([key, value]) => (
              <tr key={key}>
                <th scope="row">{key}</th>
                <td>
                  <Value name={key} value={value} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Section>
  );
}

function Value({ name, value }: { name: string; value: unknown }) {
  if (typeof value === "object" && value !== null) return <JsonView value={value} name={name} depth={1} />;
  return <>{typeof value === "string" ? value : writeJson(value)}</>;
}

function count(value: unknown): string {
  return typeof value === "number" ? value.toLocaleString("en") : String(value);
}
