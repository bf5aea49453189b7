import { useDebouncedValue } from "@mantine/hooks";
import { useEffect, useState } from "react";
import { type Content, type Lint, lintRows } from "~/api/datasets";
import { asProblem, type Problem } from "~/api/problem";

const PAUSE_MS = 350;

export interface Linted<Asked extends Content> {
  /** What was found, and in which content: that may be a moment old. */
  found: { of: Asked; lint: Lint } | null;
  /** Why nothing could be found. */
  problem: Problem | null;
  checking: boolean;
}

type Answer<Asked> = { of: Asked; lint: Lint | null; problem: Problem | null };

/** What is wrong with rows, asked whenever writing pauses. The content must be the same object until it changes. */
export function useLint<Asked extends Content>(content: Asked | null, agentId?: number): Linted<Asked> {
  const [settled] = useDebouncedValue(content, PAUSE_MS);
  const [answer, setAnswer] = useState<Answer<Asked> | null>(null);

  useEffect(() => {
    if (settled === null) return;
    const asking = new AbortController();
    lintRows(settled, agentId, asking.signal).then(
      (lint) => setAnswer({ of: settled, lint, problem: null }),
      (error: unknown) => {
        if (!asking.signal.aborted) setAnswer({ of: settled, lint: null, problem: asProblem(error) });
      },
    );
    return () => asking.abort();
  }, [settled, agentId]);

  if (content === null || answer === null) {
    return { found: null, problem: null, checking: content !== null };
  }
  return {
    found: answer.lint && { of: answer.of, lint: answer.lint },
    problem: answer.problem,
    checking: answer.of !== content,
  };
}

/** Without the line of a file, where there is no file. */
export function withoutLine(message: string): string {
  return message.replace(/^line \d+: /, "");
}
