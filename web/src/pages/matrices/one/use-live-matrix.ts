import { useDocumentVisibility } from "@mantine/hooks";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { type Matrix, matricesChanged, matrixQuery, type Progress } from "~/api/matrices";
import { follow } from "~/api/stream";

const READ_AGAIN_MS = 1_500;

/** Follows a matrix while it goes on: its progress at once, its cells every so often, all of it in the end. */
export function useLiveMatrix({ id, status }: Matrix): void {
  const client = useQueryClient();
  const visible = useDocumentVisibility() === "visible";
  const running = status === "running";

  useEffect(() => {
    if (!running || !visible) return;
    const listening = new AbortController();
    const { queryKey } = matrixQuery(id);
    let told: Progress | null = null;
    const cells = setInterval(() => {
      if (told === null) return;
      told = null;
      void client.invalidateQueries({ queryKey, exact: true });
    }, READ_AGAIN_MS);
    void follow(`/api/v1/eval/matrix/${id}/stream`, {
      signal: listening.signal,
      onEvents: (events) => {
        const latest = events.findLast(({ event }) => event === "progress")?.data as Progress | undefined;
        if (latest !== undefined) {
          told = latest;
          client.setQueryData(queryKey, (matrix) => matrix && { ...matrix, progress: latest });
        }
        if (events.some(({ event }) => event === "end")) matricesChanged(client);
      },
      onState: (state) => {
        if (state === "full") void client.invalidateQueries({ queryKey, exact: true });
      },
    });
    return () => {
      clearInterval(cells);
      listening.abort();
    };
  }, [client, id, running, visible]);
}
