/** Cassettes: what live tools answered in a run, kept to be played again. */
import { queryOptions } from "@tanstack/react-query";
import { api, data, type Schemas } from "~/api/client";

export type Cassette = Schemas["CassetteOut"];
export type Interaction = Schemas["InteractionOut"];
export type Compared = Schemas["ComparedOut"];
export type CompareReport = Schemas["DiffOut"];

/** As many as one request compares. */
export const PORTION = 20;

/** Every cassette, newest first. */
export const cassettesQuery = queryOptions({
  queryKey: ["cassettes"],
  queryFn: async ({ signal }) => {
    const cassettes: Cassette[] = [];
    let cursor: string | null = null;
    do {
      const query: { limit: number; cursor?: string } =
        cursor === null ? { limit: 200 } : { limit: 200, cursor };
      const page: Schemas["CassettesPage"] = await data(
        api.GET("/api/cassettes", { params: { query }, signal }),
      );
      cassettes.push(...page.items);
      cursor = page.next_cursor;
    } while (cursor !== null);
    return cassettes;
  },
});

export const cassetteQuery = (cassetteId: string) =>
  queryOptions({
    queryKey: ["cassettes", cassetteId],
    queryFn: ({ signal }) => data(api.GET("/api/cassettes/{cassette_id}", { ...at(cassetteId), signal })),
  });

/** What a cassette holds, in the order of the calls. */
export const interactionsQuery = (cassetteId: string) =>
  queryOptions({
    queryKey: ["cassettes", cassetteId, "interactions"],
    queryFn: async ({ signal }) => {
      const found: Interaction[] = [];
      let cursor: string | null = null;
      do {
        const query: { limit: number; cursor?: string } =
          cursor === null ? { limit: 200 } : { limit: 200, cursor };
        const params = { path: { cassette_id: cassetteId }, query };
        const page: Schemas["InteractionsPage"] = await data(
          api.GET("/api/cassettes/{cassette_id}/interactions", { params, signal }),
        );
        found.push(...page.items);
        cursor = page.next_cursor;
      } while (cursor !== null);
      return found;
    },
  });

export function recordCassette(name: string, runId: number): Promise<Cassette> {
  return data(api.POST("/api/cassettes", { body: { name, run_id: runId } }));
}

export async function deleteCassette(cassetteId: string): Promise<void> {
  await api.DELETE("/api/cassettes/{cassette_id}", at(cassetteId));
}

/** Asks the live tools again about some interactions. */
export function compareWithLive(
  cassetteId: string,
  numbers: number[],
  includeChanging: boolean,
): Promise<CompareReport> {
  const body = { numbers, include_changing: includeChanging };
  return data(api.POST("/api/cassettes/{cassette_id}/diff", { ...at(cassetteId), body }));
}

function at(cassetteId: string) {
  return { params: { path: { cassette_id: cassetteId } } };
}
