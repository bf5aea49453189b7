/** Between a rule as the server reads it and its form, losing nothing either way. */
import { writeJson } from "~/api/json";
import { argumentsOf, rowsOf } from "~/components/rules/arguments";
import { isObject, readNumber, readStrict, sameJson } from "~/components/rules/json-text";
import { type CallForm, OUTCOMES, type RuleForm } from "~/components/rules/model";

export type Rule = Record<string, unknown>;

export function ruleOf(form: RuleForm): Rule {
  const [first, ...others] = form.tools;
  const { args } = argumentsOf(form.args);
  const call = callOf(form.call);
  const ledger = readStrict(form.ledger);
  return {
    ...(first !== undefined && { tool: others.length === 0 ? first : form.tools }),
    ...(Object.keys(args).length > 0 && { args }),
    ...(call !== undefined && { call }),
    ...(form.when !== "" && { when: form.when }),
    ...(form.probability !== "" && { probability: readNumber(form.probability) }),
    ...(form.times !== "" && { times: readNumber(form.times) }),
    ...(form.latency_ms !== "" && { latency_ms: readNumber(form.latency_ms) }),
    ...(ledger !== undefined && { ledger }),
    ...outcomeOf(form),
  };
}

function callOf(call: CallForm): unknown {
  switch (call.kind) {
    case "any":
      return undefined;
    case "nth":
      return readNumber(call.nth);
    case "every":
      return { every: readNumber(call.every) };
    case "range":
      return {
        ...(call.from !== "" && { from: readNumber(call.from) }),
        ...(call.to !== "" && { to: readNumber(call.to) }),
      };
  }
}

function outcomeOf(form: RuleForm): Rule {
  if (form.outcome === "error") return { error: form.error };
  if (form.outcome === "fault") return { fault: form.fault };
  const response = readStrict(form.response);
  return response === undefined ? {} : { response };
}

/** The form of a rule; null when a form would not say all that the rule says. */
export function formOf(rule: unknown): RuleForm | null {
  if (!isObject(rule)) return null;
  const error = isObject(rule.error) ? rule.error : {};
  const form: RuleForm = {
    tools: (Array.isArray(rule.tool) ? rule.tool : [rule.tool]).filter((name) => typeof name === "string"),
    args: rowsOf(rule.args),
    call: callForm(rule.call),
    when: text(rule.when),
    probability: text(rule.probability),
    times: text(rule.times),
    latency_ms: text(rule.latency_ms),
    ledger: rule.ledger === undefined ? "" : writeJson(rule.ledger),
    outcome: OUTCOMES.find((name) => name in rule) ?? "response",
    response: rule.response === undefined ? "" : writeJson(rule.response),
    error: { code: text(error.code), message: text(error.message) },
    fault: text(rule.fault) || "timeout",
  };
  return sameJson(ruleOf(form), withoutDetours(rule)) ? form : null;
}

function callForm(call: unknown): CallForm {
  const empty: CallForm = { kind: "any", nth: "2", from: "2", to: "", every: "3" };
  if (call === undefined) return empty;
  if (!isObject(call)) return { ...empty, kind: "nth", nth: text(call) };
  if ("every" in call) return { ...empty, kind: "every", every: text(call.every) };
  return { ...empty, kind: "range", from: text(call.from), to: text(call.to) };
}

/** The same rule where two ways of writing mean one thing. */
function withoutDetours(rule: Rule): Rule {
  const { tool, args, ...rest } = rule;
  return {
    ...rest,
    ...(tool !== undefined && { tool: Array.isArray(tool) && tool.length === 1 ? tool[0] : tool }),
    ...(!(isObject(args) && Object.keys(args).length === 0) && args !== undefined && { args }),
  };
}

function text(value: unknown): string {
  return typeof value === "string" || typeof value === "number" || typeof value === "bigint"
    ? String(value)
    : "";
}
