/** A small world that fits a ledger schema: one entity of each type. */
import { isObject } from "~/components/rules/json-text";

type World = Record<string, unknown>;

function entitiesOf(ledgerSchema: unknown): World[] {
  const entities = isObject(ledgerSchema) ? ledgerSchema.entities : null;
  return Array.isArray(entities) ? entities.filter(isObject) : [];
}

export function entityTypesOf(ledgerSchema: unknown): string[] {
  return entitiesOf(ledgerSchema).map(({ type }) => String(type));
}

/** Every type, and after it its fields as `type.field`. */
export function ledgerPathsOf(ledgerSchema: unknown): string[] {
  return entitiesOf(ledgerSchema).flatMap(({ type, fields }) => [
    String(type),
    ...(Array.isArray(fields) ? fields : []).filter(isObject).map(({ name }) => `${type}.${name}`),
  ]);
}

/** Null without a ledger schema. */
export function exampleState(ledgerSchema: unknown): World | null {
  const known = entityTypesOf(ledgerSchema);
  const types = entitiesOf(ledgerSchema).map((entity): [string, World] => {
    return [String(entity.type), exampleEntity(entity, known)];
  });
  return types.length === 0 ? null : Object.fromEntries(types);
}

function exampleEntity(entity: World, known: string[]): World {
  const idField = String(entity.id_field);
  const fields = (Array.isArray(entity.fields) ? entity.fields : []).filter(isObject);
  const declared = fields.find(({ name }) => name === idField);
  const isPlain = declared === undefined || (declared.type === "string" && !Array.isArray(declared.enum));
  const id = isPlain ? `${entity.type}_1` : exampleValue(declared, known);
  const values = fields.map((field): [string, unknown] => [String(field.name), exampleValue(field, known)]);
  return { [String(id)]: { ...Object.fromEntries(values), [idField]: id } };
}

function exampleValue({ name, type, enum: choices }: World, known: string[]): unknown {
  if (Array.isArray(choices) && choices.length > 0) return choices[0];
  switch (type) {
    case "integer":
    case "number":
      return 1;
    case "boolean":
      return true;
    case "object":
      return {};
    case "array":
      return [];
    default:
      return exampleText(String(name), known);
  }
}

/** `order_id` names the order of the same example, and so does `original_order_id`. */
function exampleText(name: string, known: string[]): string {
  const referred = known.find((type) => `_${name}`.endsWith(`_${type}_id`));
  return referred === undefined ? name.replaceAll("_", " ") : `${referred}_1`;
}
