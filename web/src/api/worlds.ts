/** Worlds that are kept: what pages ask the server for about them. */
import { queryOptions } from "@tanstack/react-query";
import { api, data, type Schemas } from "~/api/client";

export type World = Schemas["WorldOut"];
export type WorldSummary = Schemas["WorldSummary"];
export type Fidelity = NonNullable<WorldSummary["fidelity"]>;
export type Share = Fidelity["responses"];
export type Entity = Schemas["EntityOut"];
export type Tried = Schemas["TriedOut"];
export type Imported = Schemas["ImportedOut"];
export type Fields = Record<string, unknown>;
export type State = Record<string, Record<string, Fields>>;

/** Every world: an organisation has tens, and they are chosen by name. */
export const worldsQuery = queryOptions({
  queryKey: ["worlds"],
  queryFn: async ({ signal }) => {
    const worlds: WorldSummary[] = [];
    let cursor: string | null = null;
    do {
      const query: { limit: number; cursor?: string } =
        cursor === null ? { limit: 200 } : { limit: 200, cursor };
      const page: Schemas["WorldsPage"] = await data(api.GET("/api/worlds", { params: { query }, signal }));
      worlds.push(...page.items);
      cursor = page.next_cursor;
    } while (cursor !== null);
    return worlds;
  },
});

export const worldQuery = (worldId: number) =>
  queryOptions({
    queryKey: ["worlds", worldId],
    queryFn: ({ signal }) =>
      data(api.GET("/api/worlds/{world_id}", { params: { path: { world_id: worldId } }, signal })),
  });

export const ENTITIES_PER_PAGE = 50;

export interface EntityFilters {
  type: string;
  q?: string;
  cursor?: string;
}

/** One page of the entities of a type, by id. */
export const entitiesQuery = (worldId: number, filters: EntityFilters) =>
  queryOptions({
    queryKey: ["worlds", worldId, "entities", filters],
    queryFn: ({ signal }) =>
      data(
        api.GET("/api/worlds/{world_id}/entities", {
          params: { path: { world_id: worldId }, query: { ...filters, limit: ENTITIES_PER_PAGE } },
          signal,
        }),
      ),
  });

/** The whole report of a measurement; null when there was none. */
export const fidelityQuery = (worldId: number) =>
  queryOptions({
    queryKey: ["worlds", worldId, "fidelity"],
    queryFn: ({ signal }) =>
      data(api.GET("/api/worlds/{world_id}/fidelity", { params: { path: { world_id: worldId } }, signal })),
  });
