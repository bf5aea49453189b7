import type {
  Completion,
  CompletionContext,
  CompletionResult,
  CompletionSource,
} from "@codemirror/autocomplete";
import { ACTS, firstOf, type Known } from "~/components/behaviours/acts";
import { isContinued } from "~/components/behaviours/continued";
import { argumentsTaken, matchedTools } from "~/components/rules/tools";

const FUNCTIONS = [
  "entity",
  "find",
  "entities",
  "new_id",
  "sum",
  "min",
  "max",
  "round",
  "abs",
  "floor",
  "ceil",
  "sorted",
  "unique",
  "count",
  "zip",
  "range",
  "first",
  "merge",
  "without",
  "put",
  "keys",
  "values",
  "lower",
  "upper",
  "trim",
  "split",
  "join",
  "replace",
  "number",
  "text",
];
const NAMES = ["args", "state", "flags", "calls", "actor"];
const TOOL = String.raw`[\w*-]+`;
const TOOLS_BEGUN = new RegExp(`^(?:${TOOL}\\s*,\\s*)*$`);
const TOOLS_GIVEN = new RegExp(`^(${TOOL}(?:\\s*,\\s*${TOOL})*)\\s+$`);
const IN_TEXT = /^(?:[^"]*"(?:[^"\\]|\\.)*")*[^"]*"(?:[^"\\]|\\.)*$/;

/** Tools where a line begins, acts behind them, and what an expression can name after that. */
export function behaviourCompletions(known: Known): CompletionSource {
  const tools = [...known.tools.map(({ name }) => plain(name, "function")), plain("*", "function")];
  const acts = ACTS.map(({ words, about }) => ({ ...plain(words, "keyword"), detail: about }));
  return (context: CompletionContext): CompletionResult | null => {
    const { text, from } = context.state.doc.lineAt(context.pos);
    const before = text.slice(0, context.pos - from);
    const [word = ""] = /[\w.]*$/.exec(before) ?? [];
    const head = before.slice(0, before.length - word.length);
    if ((word === "" && !context.explicit) || text.startsWith("#") || IN_TEXT.test(before)) return null;
    const at = (options: Completion[]) => ({ from: context.pos - word.length, options });
    if (isContinued(text))
      return at(
        namesIn(
          known,
          known.tools.map(({ name }) => name),
        ),
      );
    if (TOOLS_BEGUN.test(head)) return at(tools);
    if (TOOLS_GIVEN.test(head)) return at([...acts, plain("when", "keyword")]);
    return at(namesIn(known, (head.split(/\s+(?=\w)/)[0] ?? "").split(/\s*,\s*/)));
  };
}

function namesIn(known: Known, tools: string[]): Completion[] {
  const matched = matchedTools(tools, known.tools);
  const taken = argumentsTaken(matched).map(({ path }) => plain(`args.${path}`, "property"));
  const types = known.entityTypes.flatMap((type) => [
    plain(type, "type"),
    ...Object.keys(firstOf(known.state?.[type])).map((field) => plain(`${type}.${field}`, "property")),
  ]);
  const functions = FUNCTIONS.map((name) => ({ ...plain(`${name}(`, "function"), displayLabel: name }));
  return [...taken, ...types, ...NAMES.map((name) => plain(name, "variable")), ...functions];
}

function plain(label: string, type: string): Completion {
  return { label, type };
}
