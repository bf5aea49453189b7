/** A tool as stored: the server has read it, so members are absent or right. */
export interface Tool {
  name: string;
  description: string;
  inputSchema: unknown;
  /** Undefined when answers are not checked. */
  outputSchema: unknown;
  mode: "sandbox" | "passthrough";
  binding: unknown;
  writePolicy: string | undefined;
  adapter: unknown;
  stored: Record<string, unknown>;
}

export function readTool(stored: Record<string, unknown>): Tool {
  return {
    name: String(stored.name),
    description: typeof stored.description === "string" ? stored.description : "",
    inputSchema: stored.input_schema,
    outputSchema: stored.output_schema ?? undefined,
    mode: stored.default_execution_mode === "passthrough" ? "passthrough" : "sandbox",
    binding: stored.passthrough_binding ?? undefined,
    writePolicy: typeof stored.ledger_write_policy === "string" ? stored.ledger_write_policy : undefined,
    adapter: stored.ledger_adapter ?? undefined,
    stored,
  };
}
