import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { api, data } from "~/api/client";
import type { Tried } from "~/api/worlds";

export interface Call {
  number: number;
  agentId: number;
  tool: string;
  arguments: Record<string, unknown>;
  /** Lines it was tried with in place of those of the world. */
  behaviour?: string | undefined;
}

export interface Try {
  call: Call;
  answer: Tried;
}

const MOST_KEPT = 50;

export type Tries = ReturnType<typeof useTries>;

/** Calls tried on this page, newest first. Each begins from the world as it is saved. */
export function useTries(worldId: number) {
  const [tries, setTries] = useState<Try[]>([]);
  const [shown, setShown] = useState<number | null>(null);
  const mutation = useMutation({
    mutationFn: ({ agentId, tool, arguments: args, behaviour }: Omit<Call, "number">) =>
      data(
        api.POST("/api/worlds/{world_id}/try", {
          params: { path: { world_id: worldId } },
          body: {
            agent_id: agentId,
            tool,
            arguments: args,
            ...(behaviour !== undefined && { behavior_instructions: behaviour }),
          },
        }),
      ),
    onSuccess: (answer, call) => {
      const number = (tries[0]?.call.number ?? 0) + 1;
      setTries([{ call: { ...call, number }, answer }, ...tries].slice(0, MOST_KEPT));
      setShown(number);
    },
  });
  return {
    tries,
    shown: tries.find(({ call }) => call.number === shown),
    show: setShown,
    run: mutation.mutate,
    running: mutation.isPending,
    error: mutation.error,
    forgetError: mutation.reset,
  };
}
