/** A rule as one line a person reads: "2nd call of get_order where total > 100 → error down, after 500 ms". */
import { writeJson } from "~/api/json";
import { rowsOf } from "~/components/rules/arguments";
import { isObject, Unread } from "~/components/rules/json-text";
import type { ArgumentRow, Operator } from "~/components/rules/model";

const LONGEST_PART = 60;
const NAMED = 3;

const RELATION: Record<Exclude<Operator, "$exists">, string> = {
  is: "is",
  $eq: "is",
  $ne: "is not",
  $gt: ">",
  $gte: "≥",
  $lt: "<",
  $lte: "≤",
  $in: "in",
  $nin: "not in",
  $contains: "contains",
  $regex: "matches",
};

const FAULT: Record<string, string> = {
  timeout: "no answer",
  reset: "connection reset",
  empty: "closed without a byte",
  garbage: "bytes that are not JSON",
};

export function sentenceOf(rule: unknown): string {
  if (!isObject(rule)) return "not a rule yet";
  const which = [callsOf(rule), conditions(rule)].filter(Boolean).join(" ");
  const happens = [outcome(rule), ...consequences(rule)].join(", ");
  const limits = [chance(rule.probability), bound(rule.times)].filter(Boolean).join(", ");
  return `${which}${limits && `, ${limits}`} → ${happens}`;
}

function callsOf({ tool, call, probability, times }: Record<string, unknown>): string {
  const of = toolNames(tool);
  const limited = probability !== undefined || times !== undefined;
  if (call === undefined) return `${limited ? "any" : "every"} call${of}`;
  if (!isObject(call)) return `${ordinal(call)} call${of}`;
  if ("every" in call) return `every ${ordinal(call.every)} call${of}`;
  if (call.to === undefined) return `every call${of} from the ${ordinal(call.from)} on`;
  if (call.from === undefined || call.from === 1) return `the first ${shown(call.to)} calls${of}`;
  return `calls ${shown(call.from)}–${shown(call.to)}${of}`;
}

function toolNames(tool: unknown): string {
  const names = (Array.isArray(tool) ? tool : [tool]).filter(
    (name) => typeof name === "string" && name !== "*",
  );
  if (names.length === 0) return "";
  const more = names.length - NAMED;
  const listed = more > 1 ? [...names.slice(0, NAMED), `${more} more`] : names;
  const last = listed.at(-1);
  return ` of ${listed.length === 1 ? last : `${listed.slice(0, -1).join(", ")} or ${last}`}`;
}

function conditions({ args, when }: Record<string, unknown>): string {
  const rows = rowsOf(args).map(condition);
  const where = rows.length > 0 ? `where ${rows.join(" and ")}` : "";
  const given = typeof when === "string" ? `when ${clipped(when)}` : "";
  return [where, given].filter(Boolean).join(", ");
}

function condition({ path, operator, value }: ArgumentRow): string {
  if (operator === "$exists") return value === "false" ? `${path} is absent` : `${path} is there`;
  return `${path} ${RELATION[operator]} ${clipped(value) || "…"}`;
}

function chance(probability: unknown): string {
  if (probability === undefined) return "";
  const share = Number(probability);
  return Number.isFinite(share) ? `${Number((share * 100).toPrecision(6))} % of the time` : "now and then";
}

function bound(times: unknown): string {
  if (times === undefined) return "";
  return times === 1 ? "once" : times === 2 ? "at most twice" : `at most ${shown(times)} times`;
}

function outcome(rule: Record<string, unknown>): string {
  if (isObject(rule.error)) return `error ${shown(rule.error.code) || "…"}`;
  if ("fault" in rule) return FAULT[String(rule.fault)] ?? shown(rule.fault);
  if (!("response" in rule)) return "…";
  return `answer ${typeof rule.response === "string" ? clipped(JSON.stringify(rule.response)) : shown(rule.response)}`;
}

function consequences({ latency_ms, ledger }: Record<string, unknown>): string[] {
  const parts: string[] = [];
  if (latency_ms !== undefined && latency_ms !== 0) parts.push(`after ${wait(latency_ms)}`);
  if (Array.isArray(ledger) && ledger.length > 0) {
    parts.push(`with ${ledger.length === 1 ? "a ledger change" : `${ledger.length} ledger changes`}`);
  }
  return parts;
}

function wait(milliseconds: unknown): string {
  const whole = Number(milliseconds);
  return whole >= 1000 && whole % 100 === 0 ? `${whole / 1000} s` : `${shown(milliseconds)} ms`;
}

function ordinal(count: unknown): string {
  const number = Number(count);
  if (!Number.isInteger(number)) return shown(count) || "…";
  const teen = number % 100 >= 11 && number % 100 <= 13;
  return `${number}${(!teen && ["", "st", "nd", "rd"][number % 10]) || "th"}`;
}

function shown(value: unknown): string {
  if (value instanceof Unread) return clipped(value.text) || "…";
  return clipped(typeof value === "string" ? value : value === undefined ? "" : writeJson(value, 0));
}

function clipped(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > LONGEST_PART ? `${line.slice(0, LONGEST_PART - 1)}…` : line;
}
