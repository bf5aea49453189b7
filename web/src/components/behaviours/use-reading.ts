import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import {
  type BehaviourLine,
  type BehavioursAbout,
  type BehavioursRead,
  behavioursQuery,
} from "~/api/behaviours";
import { asProblem, type Problem } from "~/api/problem";
import { useMayChange } from "~/components/may-change";
import { withNewlines } from "~/components/newlines";

const PAUSE_MS = 300;
const NO_LINES: BehaviourLine[] = [];
const NO_RULES: BehavioursRead["rules"] = [];

export interface Reading {
  mayAsk: boolean;
  /** The text that was read: the last one while another is on its way. */
  of: string;
  lines: BehaviourLine[];
  rules: BehavioursRead["rules"];
  /** The lines that rules written as JSON come to; null where it is lines that were written. */
  asLines: string | null;
  /** Why nothing could be read. */
  problem: Problem | null;
  /** What is shown is of a text that was changed since. */
  checking: boolean;
}

/** How the server reads the lines, asked whenever writing pauses, for those who may save them. */
export function useReading(text: string, about: BehavioursAbout): Reading {
  const written = withNewlines(text);
  const [settled] = useDebouncedValue(written, PAUSE_MS);
  const mayAsk = useMayChange();
  const asked = mayAsk && settled.trim() !== "";
  const answer = useQuery({
    ...behavioursQuery(settled, about),
    enabled: asked,
    placeholderData: keepPreviousData,
  });
  const checking = written !== settled || answer.isFetching;
  const read = asked ? answer.data : undefined;
  return {
    mayAsk,
    of: read?.of ?? settled,
    lines: read?.lines ?? NO_LINES,
    rules: read?.rules ?? NO_RULES,
    asLines: read === undefined || read.text === read.of ? null : read.text,
    problem: asked && answer.error !== null ? asProblem(answer.error) : null,
    checking,
  };
}

/** The line that a place in the text belongs to. */
export function lineAt(lines: BehaviourLine[], number: number): BehaviourLine | undefined {
  return lines.find((line) => line.number <= number && number < line.number + line.text.split("\n").length);
}

export function countsOf(lines: BehaviourLine[]): { understood: number; left: number } {
  return {
    understood: lines.filter(({ rule }) => rule !== null).length,
    left: lines.filter(({ problem }) => problem !== null).length,
  };
}
