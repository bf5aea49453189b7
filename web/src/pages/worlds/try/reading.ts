/** What the engine took a call for, as one sentence: "Update order by order_id; changed status." */
import type { Tried } from "~/api/worlds";

type Reading = NonNullable<Tried["reading"]>;

const MOST_NAMED = 6;

export function readingInWords({ operation, entity_type, fields, by }: Reading): string {
  if (operation === "none") return "Not understood: the smallest answer the tool allows.";
  const what = [capital(operation), entity_type, by.length > 0 && `by ${named(by)}`]
    .filter(Boolean)
    .join(" ");
  return fields.length === 0 ? `${what}.` : `${what}; ${verb(operation)} ${named(fields)}.`;
}

/** What the engine adds to its reading: why it refused, or what it did not understand. */
export function remark(explanation: string, reading: Reading | null): string {
  if (reading === null) return explanation;
  const { operation, entity_type, fields, by } = reading;
  const words = [operation, entity_type, by.length > 0 && `by ${by.join(", ")}`].filter(Boolean).join(" ");
  const plain = fields.length > 0 ? `${words}: ${fields.join(", ")}` : words;
  return explanation.startsWith(plain) ? explanation.slice(plain.length).replace(/^[:;] /, "") : explanation;
}

/** The lines of the behaviour that the engine names: those that refused, changed or answered. */
export function linesNamed(explanation: string): number[] {
  const [, numbers] = /\bbehaviour lines? ([\d, ]+)$/.exec(explanation) ?? [];
  return numbers === undefined ? [] : numbers.split(",").map(Number);
}

function verb(operation: string): string {
  if (operation === "read" || operation === "list") return "showed";
  return operation === "create" ? "set" : operation === "update" ? "changed" : "used";
}

function named(names: readonly string[]): string {
  const more = names.length - MOST_NAMED;
  return more > 1 ? `${names.slice(0, MOST_NAMED).join(", ")} and ${more} more` : names.join(", ");
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
