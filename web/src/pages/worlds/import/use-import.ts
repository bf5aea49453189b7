import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, data } from "~/api/client";
import { asProblem, type Problem } from "~/api/problem";
import { type Imported, worldsQuery } from "~/api/worlds";
import type { Format } from "~/pages/worlds/import/records";

const PAUSE_MS = 400;

export interface ImportRequest {
  entityType: string;
  /** Null where the ids are keys. */
  idField: string | null;
  mode: "merge" | "replace";
  format: Format;
  text: string;
  /** Another number for another text: a key of megabytes would be compared over and over. */
  revision: number;
}

function send(
  worldId: number,
  request: ImportRequest,
  dryRun: boolean,
  signal?: AbortSignal,
): Promise<Imported> {
  return data(
    api.POST("/api/worlds/{world_id}/import", {
      params: {
        path: { world_id: worldId },
        query: {
          entity_type: request.entityType,
          ...(request.idField !== null && { id_field: request.idField }),
          mode: request.mode,
          dry_run: dryRun,
        },
      },
      body: request.text as never,
      bodySerializer: (text: unknown) => text as string,
      headers: { "Content-Type": request.format === "csv" ? "text/csv" : "application/json" },
      ...(signal && { signal }),
    }),
  );
}

export interface Preview {
  result: Imported | null;
  problem: Problem | null;
  checking: boolean;
}

/** What an import would do, asked whenever writing pauses. */
export function usePreview(worldId: number, hash: string, request: ImportRequest | null): Preview {
  const [settled] = useDebouncedValue(request, PAUSE_MS);
  const key = settled && { ...settled, text: undefined };
  const answer = useQuery({
    queryKey: ["worlds", worldId, "import", hash, key],
    enabled: settled !== null && request !== null,
    placeholderData: keepPreviousData,
    retry: false,
    gcTime: 0,
    queryFn: async ({ signal }): Promise<Imported | Problem> => {
      try {
        return await send(worldId, settled as ImportRequest, true, signal);
      } catch (error) {
        const problem = asProblem(error);
        if (problem.status < 400 || problem.status >= 500) throw error;
        return problem;
      }
    },
  });
  if (request === null) return { result: null, problem: null, checking: false };
  const found = answer.data ?? null;
  const refused = answer.error === null ? null : asProblem(answer.error);
  const isProblem = found instanceof Error;
  return {
    result: isProblem ? null : found,
    problem: refused ?? (isProblem ? found : null),
    checking: settled === null || settled.revision !== request.revision || answer.isFetching,
  };
}

export function useApply(worldId: number, onDone: (imported: Imported) => void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (request: ImportRequest) => send(worldId, request, false),
    onSuccess: (imported) => {
      void client.invalidateQueries({ queryKey: worldsQuery.queryKey });
      onDone(imported);
    },
  });
}
