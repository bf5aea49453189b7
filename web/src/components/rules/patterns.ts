/** Ready rules to begin with, made for the tools of the agent at hand. */
import type { Rule } from "~/components/rules/rule-form";
import type { ToolInfo } from "~/components/rules/tools";

export interface PatternContext {
  tools: ToolInfo[];
  /** Entity types of the agent's ledger schema. */
  entityTypes: string[];
}

export interface Pattern {
  title: string;
  help: string;
  make: (context: PatternContext) => Rule;
}

const PAYS = /pay|charge|refund|transfer|book/i;
const WRITES = /^(?:create|update|delete|remove|add|set|send|cancel|place|submit)/i;

export const PATTERNS: Pattern[] = [
  {
    title: "Fail the 2nd call",
    help: "The first works, the second is refused.",
    make: (context) => ({
      ...about(context.tools[0]),
      call: 2,
      error: { code: "unavailable", message: "The service is not available. Try again later." },
    }),
  },
  {
    title: "Time out once",
    help: "No answer the first time; a retry succeeds.",
    make: (context) => ({ ...about(context.tools[0]), times: 1, fault: "timeout" }),
  },
  {
    title: "Slow everything by 2 s",
    help: "Every call waits, then gets the answer written here: a rule always answers itself.",
    make: () => ({ latency_ms: 2000, response: {} }),
  },
  {
    title: "20 % flaky",
    help: "One call in five fails; the random seed decides which.",
    make: () => ({ probability: 0.2, error: { code: "internal_error", message: "Something went wrong." } }),
  },
  {
    title: "Went through, but timed out",
    help: "The ledger changes although the agent gets no answer: does it charge twice?",
    make: (context) => ({
      ...about(writingTool(context.tools)),
      times: 1,
      ledger: [exampleOperation(context.entityTypes)],
      fault: "timeout",
    }),
  },
];

export function blankRule({ tools }: PatternContext): Rule {
  return { ...about(tools[0]), error: { code: "unavailable", message: "Try again later." } };
}

function about(tool: ToolInfo | undefined): Rule {
  return tool === undefined ? {} : { tool: tool.name };
}

function writingTool(tools: ToolInfo[]): ToolInfo | undefined {
  const writing = tools.filter(({ name }) => WRITES.test(name));
  return (
    writing.find(({ name }) => PAYS.test(name)) ??
    tools.find(({ name }) => PAYS.test(name)) ??
    writing[0] ??
    tools[0]
  );
}

/** A change of the world such as a call leaves behind. */
export function exampleOperation(entityTypes: string[]): Rule {
  const entityType = entityTypes.find((name) => PAYS.test(name));
  if (entityType === undefined) return { op: "set_flag", flag: "charged" };
  return {
    op: "add",
    entity_type: entityType,
    id: `${entityType}_went_through`,
    fields: { status: "settled" },
  };
}
