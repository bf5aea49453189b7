import { Text, UnstyledButton } from "@mantine/core";
import type { Note } from "~/api/datasets";
import type { FieldError } from "~/api/problem";
import { counted } from "~/components/counted";
import classes from "~/pages/datasets/datasets.module.css";
import type { Cell } from "~/pages/datasets/grid/rows";

const MOST_SHOWN = 100;

export type Fault = Pick<Note, "row" | "column" | "msg"> & { loc: (string | number)[] };

/** What a refusal says, as a look at the rows would say it. */
export function faultsOf(errors: FieldError[]): Fault[] {
  return errors.map(({ loc, msg }) => {
    const [place, row, column] = loc;
    const inRow = place === "rows" && typeof row === "number";
    return { row: inRow ? row : null, column: (inRow ? column : loc[1]) ?? null, loc, msg };
  });
}

interface FaultsTableProps {
  faults: Fault[];
  /** A fault, a warning, or a hint at what would make a sound row stricter. */
  tone: "red" | "amber" | "hint";
  /** Absent where there is no cell to be shown. */
  onShow?: ((cell: Cell) => void) | undefined;
}

/** Every fault with its row and column; each leads to its cell. */
const TONES = {
  red: { word: "fault", title: "Faults", color: "var(--band-red)" },
  amber: { word: "warning", title: "Warnings", color: "var(--band-amber)" },
  hint: { word: "hint", title: "Hints", color: "var(--ody-text-dim)" },
};

export function FaultsTable({ faults, tone, onShow }: FaultsTableProps) {
  if (faults.length === 0) return null;
  const { word, title, color } = TONES[tone];
  const what = counted(faults.length, word);
  return (
    <section aria-label={title}>
      <Text size="sm" fw={600} c={color} role="status">
        {faults.length >= 1000 ? `${what} or more` : what}
      </Text>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
      <div className={classes.faults} tabIndex={0}>
        <table>
          <thead>
            <tr>
              <th scope="col">Row</th>
              <th scope="col">Column</th>
              <th scope="col">What</th>
            </tr>
          </thead>
          <tbody>
            {faults.slice(0, MOST_SHOWN).map((fault) => (
              <tr key={`${fault.loc.join(".")} ${fault.msg}`}>
                <td>
                  <Lead fault={fault} onShow={onShow} />
                </td>
                <td className={classes.mono}>{fault.column}</td>
                <td>{fault.msg}</td>
              </tr>
            ))}
          </tbody>
        </table>
        {faults.length > MOST_SHOWN && (
          <Text size="xs" c="var(--ody-text-dim)">
            and {(faults.length - MOST_SHOWN).toLocaleString("en")} more
          </Text>
        )}
      </div>
    </section>
  );
}

function Lead({ fault: { row, column }, onShow }: { fault: Fault; onShow: FaultsTableProps["onShow"] }) {
  if (row === null) return "header";
  if (!onShow) return row;
  const name = typeof column === "string" ? column : "user";
  return (
    <UnstyledButton
      className={classes.lead}
      aria-label={`Show ${name} of row ${row}`}
      onClick={() => onShow({ row, column: name })}
    >
      {row}
    </UnstyledButton>
  );
}
