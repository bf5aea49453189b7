import { useDebouncedValue } from "@mantine/hooks";
import { useEffect, useState } from "react";
import { api, type Schemas } from "~/api/client";
import { asProblem, type FieldError, type Problem } from "~/api/problem";

const PAUSE_MS = 400;
const NONE: FieldError[] = [];

interface Answer {
  body: Schemas["AgentIn"];
  errors: FieldError[];
  /** The check itself failed: nothing is known. */
  failure: Problem | null;
}

export interface Validation extends Omit<Answer, "body"> {
  /** The answer is about an earlier text, or has not come yet. */
  checking: boolean;
}

/** Asks the server about the body whenever typing pauses; earlier questions are dropped. Null is not asked about. */
export function useValidation(body: Schemas["AgentIn"] | null): Validation {
  const [settled] = useDebouncedValue(body, PAUSE_MS);
  const [answer, setAnswer] = useState<Answer | null>(null);
  useEffect(() => {
    if (settled === null) return;
    const asked = new AbortController();
    api.POST("/api/agents/validate", { body: settled, signal: asked.signal }).then(
      () => setAnswer({ body: settled, errors: NONE, failure: null }),
      (error: unknown) => {
        if (asked.signal.aborted) return;
        const problem = asProblem(error);
        const told = problem.status === 422;
        setAnswer({ body: settled, errors: told ? problem.errors : NONE, failure: told ? null : problem });
      },
    );
    return () => asked.abort();
  }, [settled]);
  return {
    errors: (body && answer?.errors) ?? NONE,
    failure: (body && answer?.failure) ?? null,
    checking: body !== null && answer?.body !== body,
  };
}
