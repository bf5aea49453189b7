/** Operations on the ledger as lines a person reads. */

import type { Schemas } from "~/api/client";
import { writeJson } from "~/api/json";

export type Operation =
  | { op: "add" | "update"; entity_type: string; id: string; fields?: Record<string, unknown> }
  | { op: "remove"; entity_type: string; id: string }
  | { op: "set_flag" | "clear_flag"; flag: string };

export type Change = Schemas["EntityChangeOut"];

export interface OperationLine {
  sign: "+" | "~" | "−";
  verb: "add" | "update" | "remove" | "set flag" | "clear flag";
  subject: string;
  /** null: the operation has no values, or the value is not known. */
  before: string | null;
  after: string | null;
}

/** One line per added or removed entity or flag, one per member that is updated. */
export function operationLines(operations: Operation[], changes: Change[] = []): OperationLine[] {
  return operations.flatMap((operation) => linesOf(operation, changes));
}

function linesOf(operation: Operation, changes: Change[]): OperationLine[] {
  switch (operation.op) {
    case "set_flag":
      return [{ sign: "+", verb: "set flag", subject: operation.flag, before: null, after: null }];
    case "clear_flag":
      return [{ sign: "−", verb: "clear flag", subject: operation.flag, before: null, after: null }];
    case "remove":
      return [{ sign: "−", verb: "remove", subject: entityName(operation), before: null, after: null }];
    case "add":
      return [
        {
          sign: "+",
          verb: "add",
          subject: entityName(operation),
          before: null,
          after: short(operation.fields ?? {}),
        },
      ];
    case "update": {
      const before = changes.find(
        (change) => change.entity_type === operation.entity_type && change.id === operation.id,
      );
      return Object.entries(operation.fields ?? {}).map(([field, value]) => ({
        sign: "~",
        verb: "update",
        subject: `${entityName(operation)}.${field}`,
        before: before?.before && field in before.before ? short(before.before[field]) : null,
        after: short(value),
      }));
    }
    default:
      return [];
  }
}

function entityName(operation: { entity_type: string; id: string }): string {
  return `${operation.entity_type} ${operation.id}`;
}

const LONGEST = 400;

export function short(value: unknown): string {
  const text = writeJson(value, 0);
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}
