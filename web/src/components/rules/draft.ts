/** The list of rules while it is being written, as a form or as JSON. */
import type { FieldError } from "~/api/problem";
import { crowdedFaults } from "~/components/rules/arguments";
import { readStrict, Unread, unreadIn, writeAsTyped } from "~/components/rules/json-text";
import { newKey, type RuleItem, type RulesDraft } from "~/components/rules/model";
import { formOf, ruleOf } from "~/components/rules/rule-form";

const FEW = 2;

export const NO_RULES: RulesDraft = { mode: "form", items: [] };

export interface WrittenRules {
  /** What the server would get: a list, unless the JSON says otherwise. */
  rules: unknown;
  /** What keeps it from being sent, by path inside the list. */
  faults: FieldError[];
}

export function writtenRules(draft: RulesDraft): WrittenRules {
  if (draft.mode === "json") {
    const rules = readStrict(draft.text) ?? [];
    return { rules, faults: unreadIn(rules) };
  }
  const rules = draft.items.map(ruleIn);
  const crowded = draft.items.flatMap(({ content }, index) =>
    content.kind === "form"
      ? crowdedFaults(content.form.args).map((fault) => ({ ...fault, loc: [index, ...fault.loc] }))
      : [],
  );
  return { rules, faults: [...unreadIn(rules), ...crowded] };
}

export function ruleIn({ content }: RuleItem): unknown {
  return content.kind === "form" ? ruleOf(content.form) : (readStrict(content.text) ?? new Unread(""));
}

export function itemOf(rule: unknown, open: boolean): RuleItem {
  const form = formOf(rule);
  const content: RuleItem["content"] = form
    ? { kind: "form", form }
    : { kind: "json", text: writeAsTyped(rule) };
  return { key: newKey(), open, content };
}

export function formDraft(rules: unknown[]): RulesDraft {
  return { mode: "form", items: rules.map((rule) => itemOf(rule, rules.length <= FEW)) };
}

export function asJson(draft: RulesDraft): RulesDraft {
  return { mode: "json", text: draftText(draft) };
}

/** Null as long as the JSON is not a list. */
export function asForm(draft: RulesDraft): RulesDraft | null {
  if (draft.mode === "form") return draft;
  const rules = readStrict(draft.text) ?? [];
  return Array.isArray(rules) ? formDraft(rules) : null;
}

/** Everything that was written, as one text; `readDraft` takes it back. */
export function draftText(draft: RulesDraft): string {
  return draft.mode === "json" ? draft.text : writeAsTyped(draft.items.map(ruleIn));
}

export function readDraft(mode: RulesDraft["mode"], text: string): RulesDraft {
  const draft: RulesDraft = { mode: "json", text };
  return mode === "form" ? (asForm(draft) ?? draft) : draft;
}

/** One rule in its other writing; unchanged when the form could not show it. */
export function turned(item: RuleItem): RuleItem {
  const rule = ruleIn(item);
  if (item.content.kind === "form") return { ...item, content: { kind: "json", text: writeAsTyped(rule) } };
  const form = formOf(rule);
  return form === null ? item : { ...item, content: { kind: "form", form } };
}

export function isEmpty(draft: RulesDraft): boolean {
  return draft.mode === "form" ? draft.items.length === 0 : ["", "[]"].includes(draft.text.trim());
}
