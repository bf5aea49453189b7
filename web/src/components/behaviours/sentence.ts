/** A structured rule as a person would say it. */
import { writeJson } from "~/api/json";
import { isObject } from "~/components/rules/json-text";

type Rule = Record<string, unknown>;

const ACTS: Record<string, (rule: Rule, tools: string) => string> = {
  only_when: (rule, tools) => `${tools} is refused unless ${rule.only_when}${told(rule.else)}`,
  fails_when: (rule, tools) => `${tools} is refused when ${rule.fails_when}${told(rule.with)}`,
  let: (rule, tools) => `in ${tools}, ${pairs(rule.let, "stands for")}`,
  sets: (rule, tools) => `${tools} sets ${pairs(rule.sets, "to")}`,
  appends: (rule, tools) => `${tools} appends ${pairs(rule.appends, "to", true)}`,
  adds: (rule, tools) => `${tools} adds a new ${added(rule.adds)}`,
  removes: (rule, tools) => `${tools} removes the ${rule.removes}`,
  sets_flag: (rule, tools) => `${tools} sets the flag ${writeJson(rule.sets_flag, 0)}`,
  clears_flag: (rule, tools) => `${tools} clears the flag ${writeJson(rule.clears_flag, 0)}`,
  returns: (rule, tools) => `${tools} answers with ${rule.returns}`,
  changes_nothing_else: (_, tools) => `${tools} changes only what lines say, nothing by itself`,
};

export function behaviourInWords(rule: Rule): string {
  const act = Object.keys(ACTS).find((name) => Object.hasOwn(rule, name));
  const say = act === undefined ? undefined : ACTS[act];
  if (say === undefined) return writeJson(rule, 0);
  const words = say(rule, toolsOf(rule.tools));
  return `${capital(rule.when === undefined ? words : `when ${rule.when}, ${words}`)}.`;
}

function toolsOf(tools: unknown): string {
  const names = Array.isArray(tools) ? tools.map(String) : [String(tools)];
  if (names.includes("*")) return "every tool";
  return names.length > 1 ? `each of ${names.join(", ")}` : (names[0] ?? "every tool");
}

function told(refusal: unknown): string {
  if (!isObject(refusal)) return "";
  const code = refusal.code === undefined ? "" : ` (${refusal.code})`;
  return refusal.message === undefined ? code : `, with “${refusal.message}”${code}`;
}

/** "order.status to "paid" and order.note to …"; turned around, the value comes first. */
function pairs(members: unknown, between: string, turned = false): string {
  if (!isObject(members)) return writeJson(members, 0);
  return Object.entries(members)
    .map(([name, value]) => (turned ? `${value} ${between} ${name}` : `${name} ${between} ${value}`))
    .join(" and ");
}

function added(adds: unknown): string {
  if (!isObject(adds)) return writeJson(adds, 0);
  return Object.entries(adds)
    .map(([type, fields]) => {
      const inside = isObject(fields)
        ? Object.entries(fields).map(([name, value]) => `${name}: ${value}`)
        : [];
      return inside.length === 0 ? type : `${type} with ${inside.join(", ")}`;
    })
    .join(" and ");
}

/** A tool's name stays as it is written. */
function capital(words: string): string {
  return /^(?:every|each|in|when) /.test(words) ? words.charAt(0).toUpperCase() + words.slice(1) : words;
}
