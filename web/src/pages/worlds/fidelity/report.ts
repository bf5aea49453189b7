/** The report of `odyssey fidelity --json`, as the server keeps it. */

import { isObject } from "~/components/rules/json-text";
import type { MeasuredShare } from "~/components/share";

export const SHARES = ["responses", "reads", "changes", "refusals", "refusal_texts"] as const;
export type ShareName = (typeof SHARES)[number];

export interface ReportRow {
  tool: string;
  calls: number | null;
  /** Its recorded answers neither show nor change anything of the world. */
  stateless: boolean;
  shares: Partial<Record<ShareName, MeasuredShare>>;
}

export interface Report {
  total: ReportRow;
  tools: ReportRow[];
}

export function readReport(report: unknown): Report | null {
  if (!isObject(report)) return null;
  const tools = isObject(report.tools) ? Object.entries(report.tools) : [];
  return {
    total: rowOf("all", report),
    tools: tools.map(([tool, row]) => rowOf(tool, isObject(row) ? row : {})),
  };
}

function rowOf(tool: string, row: Record<string, unknown>): ReportRow {
  const shares = SHARES.flatMap((name) => {
    const share = shareOf(row[name]);
    return share ? [[name, share] as const] : [];
  });
  return {
    tool,
    calls: typeof row.calls === "number" ? row.calls : null,
    stateless: row.stateless === true,
    shares: Object.fromEntries(shares),
  };
}

function shareOf(value: unknown): MeasuredShare | null {
  if (!isObject(value) || !Array.isArray(value.interval)) return null;
  return {
    share: typeof value.share === "number" ? value.share : null,
    interval: value.interval.map(Number),
    equal: typeof value.equal === "number" ? value.equal : null,
    of: typeof value.of === "number" ? value.of : null,
  };
}
