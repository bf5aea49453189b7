import { Text } from "@mantine/core";
import type { FieldError } from "~/api/problem";
import { counted } from "~/components/counted";
import type { FileEntry } from "~/pages/scenarios/import/file-entries";
import classes from "~/pages/scenarios/import/import.module.css";

interface ImportFaultsProps {
  errors: FieldError[];
  entries: FileEntry[];
}

/** What is wrong with a file, scenario by scenario. */
export function ImportFaults({ errors, entries }: ImportFaultsProps) {
  const groups = byScenario(errors);
  return (
    <section aria-label="Faults" className={classes.faults}>
      <Text size="sm" role="alert">
        <Text span inherit fw={600} c="var(--band-red)">
          {counted(errors.length, "fault")}
        </Text>
        . Nothing was imported: a file is taken whole or not at all.
      </Text>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
      <ol tabIndex={0}>
        {[...groups].map(([index, faults]) => (
          <li key={index ?? "file"}>
            <h3>{index === null ? "The file" : headingOf(index, entries[index])}</h3>
            <ul>
              {faults.map(({ loc, msg }) => (
                <li key={`${loc.join(".")} ${msg}`}>
                  {loc.length > 0 && <code>{loc.join(".")}</code>} {withoutPlace(msg, loc)}
                </li>
              ))}
            </ul>
          </li>
        ))}
      </ol>
    </section>
  );
}

/** By place in the file; null for what is about the whole of it. */
function byScenario(errors: FieldError[]): Map<number | null, FieldError[]> {
  const groups = new Map<number | null, FieldError[]>();
  for (const error of errors) {
    const [list, index, ...rest] = error.loc;
    const inScenario = list === "scenarios" && typeof index === "number";
    const key = inScenario ? index : null;
    groups.set(key, [...(groups.get(key) ?? []), { ...error, loc: inScenario ? rest : error.loc }]);
  }
  return groups;
}

function headingOf(index: number, entry: FileEntry | undefined): string {
  const name = entry?.name ? `, ${entry.name}` : "";
  return `Scenario ${index + 1}${name}${entry?.line ? `, from line ${entry.line}` : ""}`;
}

function withoutPlace(msg: string, loc: FieldError["loc"]): string {
  const place = `${loc.join(".")}: `;
  return loc.length > 0 && msg.startsWith(place) ? msg.slice(place.length) : msg;
}
