import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { api, data, type Schemas } from "~/api/client";
import { readJson } from "~/api/json";
import { asProblem, type FieldError, type Problem } from "~/api/problem";

const PAUSE_MS = 350;
const NONE: FieldError[] = [];

export interface Validation {
  errors: FieldError[];
  /** The check itself failed, so nothing is known. */
  failure: Problem | null;
  /** What the answer is about was changed since. */
  checking: boolean;
  /** The text that the answer is about was accepted. */
  accepted: boolean;
}

/** Asks the server whether it would take the request, whenever typing pauses. `text` is the body as JSON. */
export function useValidation(text: string | null): Validation {
  const [settled] = useDebouncedValue(text, PAUSE_MS);
  const answer = useQuery({
    queryKey: ["runs", "validate", settled],
    enabled: settled !== null && text !== null,
    placeholderData: keepPreviousData,
    retry: false,
    queryFn: async ({ signal }): Promise<FieldError[]> => {
      const body = readJson(settled ?? "") as Schemas["RunsIn"];
      try {
        await data(api.POST("/api/runs/validate", { body, signal }));
        return NONE;
      } catch (error) {
        const problem = asProblem(error);
        if (problem.status !== 422 || problem.errors.length === 0) throw error;
        return problem.errors;
      }
    },
  });
  if (text === null) return { errors: NONE, failure: null, checking: false, accepted: false };
  const checking = text !== settled || answer.isFetching;
  return {
    errors: answer.data ?? NONE,
    failure: answer.error === null ? null : asProblem(answer.error),
    checking,
    accepted: !checking && answer.data?.length === 0,
  };
}
