/** What only the account page asks for; an organisation has tens of people and keys, so they are read whole. */
import { queryOptions } from "@tanstack/react-query";
import { api, data, type Schemas } from "~/api/client";

export type Person = Schemas["PersonOut"];
export type Key = Schemas["KeyOut"];
export type AuditEntry = Schemas["AuditEntryOut"];

interface Page<Item> {
  items: Item[];
  next_cursor: string | null;
}

interface PageQuery {
  limit: number;
  cursor?: string;
}

export const ROLES = ["viewer", "member", "admin"] as const;
export const SHORTEST_PASSWORD = 12;
export const AUDIT_ENTRIES_PER_PAGE = 50;

export const peopleQuery = queryOptions({
  queryKey: ["people"],
  queryFn: ({ signal }) =>
    whole<Person>((query) => data(api.GET("/api/people", { params: { query }, signal }))),
});

export const keysQuery = queryOptions({
  queryKey: ["keys"],
  queryFn: ({ signal }) => whole<Key>((query) => data(api.GET("/api/keys", { params: { query }, signal }))),
});

export const auditQuery = (cursor: string | undefined) =>
  queryOptions({
    queryKey: ["audit-log", cursor],
    queryFn: ({ signal }) => {
      const query = { limit: AUDIT_ENTRIES_PER_PAGE, ...(cursor === undefined ? {} : { cursor }) };
      return data(api.GET("/api/audit-log", { params: { query }, signal }));
    },
  });

async function whole<Item>(read: (query: PageQuery) => Promise<Page<Item>>): Promise<Item[]> {
  const items: Item[] = [];
  let cursor: string | null = null;
  do {
    const page: Page<Item> = await read(cursor === null ? { limit: 200 } : { limit: 200, cursor });
    items.push(...page.items);
    cursor = page.next_cursor;
  } while (cursor !== null);
  return items;
}
