import type { MatrixSummary } from "~/api/matrices";

/** What it was called, or else what it is of: "Support desk v3". */
export function nameOf(matrix: Pick<MatrixSummary, "name" | "agent_name" | "agent_version">): string {
  return matrix.name || `${matrix.agent_name} v${matrix.agent_version}`;
}
