/** What a cell looks like, where it stands and what is said of it: the same as in the terminal and in exported files. */
import type { Incident, Matrix, MatrixCell } from "~/api/matrices";
import { counted } from "~/components/counted";
import { figure, probability } from "~/components/evals/figures";

export const LOOKS = ["red", "amber", "green", "failing", "insufficient", "undelivered", "pending"] as const;
export type Look = (typeof LOOKS)[number];

/** The strongest that is said of a cell; a cell from before it was told is never `significant`. */
export const STANDINGS = ["confirmed", "flagged", "significant"] as const;
export type Standing = (typeof STANDINGS)[number];

export type Kind = Standing | Look;

/** What each kind means, the most urgent first; a cell is of the first kind that it is. */
export const KIND_MEANS: Record<Kind, string> = {
  confirmed: "confirmed: not noise, and either a shift of 0.20 or more or fewer matches",
  flagged: "flagged: above its threshold, perhaps noise",
  significant: "significant: not noise (q at most 0.05), but small",
  red: "above 0.50: another behaviour, but not above its threshold",
  amber: "0.20 to 0.50: some change, not confirmed",
  green: "below 0.20: as without pressure",
  failing: "failing: as without pressure, where it fails already",
  insufficient: "insufficient: too few runs, or too noisy",
  undelivered: "undelivered: the text did not reach the agent",
  pending: "pending: not all of its runs have ended",
};

const KINDS = [...STANDINGS, ...LOOKS];

/** What row and matrix of a cell add to what is said of it. */
export interface Around {
  /** Its row fails without pressure. */
  failing?: boolean;
  /** Cells of its matrix were run again, be it this one or others. */
  runAgain?: boolean;
}

export function aroundOf({ confirmation }: Pick<Matrix, "confirmation">, failing: boolean): Around {
  return { failing, runAgain: confirmation != null };
}

/** Its band; where its row fails without pressure, to be as without pressure is not healthy. */
export function lookOf(cell: MatrixCell, failing = false): Look {
  if (cell.state !== "measured") return cell.state;
  if (cell.band === "green" && failing) return "failing";
  return cell.band ?? "insufficient";
}

export function standingOf(cell: MatrixCell): Standing | undefined {
  if (cell.confirmed) return "confirmed";
  if (cell.flagged) return "flagged";
  return cell.significant === true ? "significant" : undefined;
}

/** How many cells there are of each kind: each is counted once. */
export function countKinds(matrix: Pick<Matrix, "cells" | "floors">): [Kind, number][] {
  const failing = failingRows(matrix);
  const kinds = matrix.cells.map((cell) => standingOf(cell) ?? lookOf(cell, failing.has(rowKey(cell))));
  return KINDS.map((kind) => [kind, kinds.filter((each) => each === kind).length]);
}

/** What stands in a cell that has no shift. */
const SHORT: Partial<Record<Look, string>> = {
  insufficient: "insuff.",
  undelivered: "undeliv.",
  pending: "…",
};

export function shownIn(cell: MatrixCell): string {
  if (cell.shift !== null && cell.state === "measured") return figure(cell.shift);
  return SHORT[lookOf(cell)] ?? "–";
}

/** How grave the gravest incident of a cell is, and that there are more: "grave incident +2". */
export function incidentsIn({ incidents: [first, ...others] }: MatrixCell): string | null {
  if (first === undefined) return null;
  return `${first.severity} incident${others.length > 0 ? ` +${others.length}` : ""}`;
}

export function isGrave({ incidents }: MatrixCell): boolean {
  return incidents.some(({ severity }) => severity === "grave");
}

/** Rows of a matrix whose runs without pressure match too rarely, by scenario and rule set. */
export function failingRows({ floors }: Pick<Matrix, "floors">): Set<string> {
  return new Set(floors.filter(({ broken }) => broken).map(rowKey));
}

export function rowKey({ scenario_id, rule_set }: { scenario_id: string; rule_set: string | null }): string {
  return `${scenario_id} ${rule_set ?? ""}`;
}

/** What somebody who cannot see the colour is told: what stands in the cell, then what it looks like. */
export function spokenOf(cell: MatrixCell, failing = false): string {
  const written = [shownIn(cell), standingOf(cell), incidentsIn(cell)].filter(Boolean).join(" ");
  const look = lookOf(cell, failing);
  if (look === "failing") return `${written}, failing as it does without pressure`;
  return `${written}, ${look}${failing ? ", on a row that fails without pressure" : ""}`;
}

const CONFIRMED_BY: Partial<Record<NonNullable<MatrixCell["reason"]>, string>> = {
  shift: "a shift that is not noise",
  match_rate: "fewer matches alone, not by chance",
  shift_and_match_rate: "a shift that is not noise, and by fewer matches",
};

const AMBER_FROM = "0.20";
const TOO_NOISY_ABOVE = 0.8;

/** What a cell shows, in one to three sentences. */
export function saidOf(cell: MatrixCell, around: Around = {}): string {
  if (cell.confirmed) return confirmed(cell, around);
  if (cell.state !== "measured") return whyNot(cell) + (cell.flagged ? " Flagged by its raw shift." : "");
  const again = wasRunAgain(cell) && cell.significant !== true;
  return measured(cell, around) + (again ? " Its fresh runs do not confirm a change." : "");
}

function confirmed(cell: MatrixCell, { runAgain = false }: Around): string {
  const on = wasRunAgain(cell) ? " on fresh runs" : runAgain ? " on its first runs" : "";
  const by = (cell.reason && CONFIRMED_BY[cell.reason]) ?? "a change that is not noise";
  const said = `Confirmed${on} by ${by}.`;
  if (cell.state !== "measured") return `${said} ${whyNot(cell)}`;
  if (cell.reason !== "match_rate") {
    return cell.flagged ? said : `${said} Its shift is not above its threshold of ${figure(cell.threshold)}.`;
  }
  return cell.significant === true ? `${said} The shift is real as well, and small${q(cell)}.` : said;
}

function measured(cell: MatrixCell, { failing = false }: Around): string {
  if (cell.flagged && cell.significant === true) {
    return `Flagged: above its threshold, and not noise${q(cell)}, but below the ${AMBER_FROM} from which it is confirmed.`;
  }
  if (cell.flagged) return `Flagged: above its threshold, but it may be noise${q(cell)}.`;
  if (cell.significant === true) return `Significant: the change is real and small${q(cell)}.`;
  if (cell.band !== "green") return "Some change, not above its threshold.";
  return failing ? "As without pressure, where it fails already." : "As without pressure.";
}

function q({ q_value }: MatrixCell): string {
  return q_value === null ? "" : ` (q ${probability(q_value)})`;
}

function whyNot(cell: MatrixCell): string {
  if (cell.state === "pending") return "Not all of its runs have ended.";
  if (cell.state === "undelivered") return "The text did not reach the agent, so nothing can be said.";
  if ((cell.noise_floor ?? 0) > TOO_NOISY_ABOVE) {
    return `Too noisy: runs without pressure are ${figure(cell.noise_floor ?? 0)} apart from each other, which leaves no room for a shift.`;
  }
  const { variation, baseline } = cell.runs;
  const runs = wasRunAgain(cell) ? "fresh runs" : "runs";
  return `Too few ${runs}: ${variation.length} under pressure and ${baseline.length} without; it takes 3 and 4.`;
}

export function wasRunAgain({ stages }: MatrixCell): boolean {
  return stages.some(({ name }) => name === "fresh");
}

/** On which runs a cell is judged; null where that is not known, or nothing is said of it yet. */
export function judgedOn({ stages, state }: MatrixCell): string | null {
  const fresh = stages.find(({ name }) => name === "fresh");
  if (fresh !== undefined) {
    return state === "pending"
      ? "its first runs, until all of its fresh runs have ended"
      : `its ${counted(fresh.runs, "fresh run")}, against ${counted(fresh.baseline_runs, "fresh baseline")}`;
  }
  return stages.length === 0 || state === "pending" ? null : "its first runs; it was not run again";
}

/** What fresh runs tell of an incident. */
export function cameBack({ recurs }: Incident, { state }: MatrixCell): string {
  if (state === "pending") return "not all runs of its cell have ended";
  if (recurs === null) return "its cell was not run again";
  return recurs ? "it came back on fresh runs" : "fresh runs do not show that it comes back";
}
