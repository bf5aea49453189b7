import { writeJson } from "~/api/json";
import type { Entity, Fields } from "~/api/worlds";
import { ToneBadge } from "~/components/badges";
import type { Column } from "~/components/data-table";
import { CHANGE_MARKS } from "~/components/ledger/changed-entity";
import { type Edit, editOf, kindOfEdit } from "~/pages/worlds/entities/edits";
import classes from "~/pages/worlds/entities/entities.module.css";

const MOST_COLUMNS = 8;
const COLUMNS_ON_NARROW = 2;
const LONGEST = 120;
/** What points elsewhere tells less than what is told here. */
const REFERENCE = /(_id|Id)$/;

/** The id, then the members that tell most. */
export function entityColumns(rows: Entity[], edits: Edit[], most = MOST_COLUMNS): Column<Entity>[] {
  const idField = idFieldOf(rows.map(({ id, fields }) => [id, fields]));
  const others = rows.map(({ fields }) => without(fields, idField));
  return [
    {
      id: "id",
      title: idField ?? "id",
      render: ({ entity_type, id }) => (
        <span className={classes.id}>
          <span title={id}>{id}</span>
          <EditMark edit={editOf(edits, entity_type, id)} />
        </span>
      ),
    },
    ...memberNames(others, most).map(
      (name, index): Column<Entity> => ({
        id: `field ${name}`,
        title: name.length > 40 ? `${name.slice(0, 40)}…` : name,
        wide: index >= COLUMNS_ON_NARROW,
        render: ({ fields }) => <Cell fields={fields} name={name} />,
      }),
    ),
  ];
}

function EditMark({ edit }: { edit: Edit | undefined }) {
  if (edit === undefined) return null;
  const [tone, label] = CHANGE_MARKS[kindOfEdit(edit)];
  return <ToneBadge tone={tone}>{label}</ToneBadge>;
}

function Cell({ fields, name }: { fields: Fields; name: string }) {
  if (!Object.hasOwn(fields, name)) return null;
  const value = fields[name];
  const kind = value === null ? "null" : typeof value;
  return (
    <span className={classes.cell} data-kind={kind} title={kind === "object" ? undefined : String(value)}>
      {cellText(value)}
    </span>
  );
}

function cellText(value: unknown): string {
  const text = typeof value === "string" ? value : Array.isArray(value) ? list(value) : writeJson(value, 0);
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}

function list(items: unknown[]): string {
  const plain = items.every((item) => typeof item !== "object" || item === null);
  return plain ? items.map(String).join(", ") : items.length === 1 ? "1 item" : `${items.length} items`;
}

export function without(fields: Fields, name: string | null): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([each]) => each !== name));
}

/** The member that repeats the id in every entity, if there is one. */
export function idFieldOf(entities: [id: string, fields: Fields][]): string | null {
  const [first] = entities;
  if (first === undefined) return null;
  const candidates = Object.keys(first[1]).filter((name) => String(first[1][name]) === first[0]);
  return candidates.find((name) => entities.every(([id, fields]) => String(fields[name]) === id)) ?? null;
}

/** The names that tell most in little room, in the order they are written; nested ones and rare ones only if there is room. */
export function memberNames(entities: Fields[], most: number): string[] {
  const found = new Map<string, Member>();
  for (const fields of entities) {
    for (const [name, value] of Object.entries(fields)) {
      const seen = found.get(name) ?? { count: 0, nested: 0, length: 0 };
      const nested = typeof value === "object" && value !== null && !Array.isArray(value);
      found.set(name, {
        count: seen.count + 1,
        nested: seen.nested + Number(nested),
        length: seen.length + Math.min(cellText(value).length, LONGEST),
      });
    }
  }
  const names = [...found.keys()];
  const kept = names
    .toSorted((a, b) => room(a, found.get(a), entities.length) - room(b, found.get(b), entities.length))
    .slice(0, most);
  return names.filter((name) => kept.includes(name));
}

interface Member {
  count: number;
  nested: number;
  length: number;
}

/** How much room a column takes for what it tells: less is better. */
function room(name: string, member: Member | undefined, entities: number): number {
  if (member === undefined) return 0;
  const { count, nested, length } = member;
  const isNested = nested * 2 > count;
  const isRare = count * 2 < entities;
  return (
    length / count +
    (REFERENCE.test(name) ? LONGEST / 4 : 0) +
    (isNested ? LONGEST * 2 : 0) +
    (isRare ? LONGEST : 0)
  );
}
