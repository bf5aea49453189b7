import { Tooltip } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { type KeyboardEvent, useState } from "react";
import type { RunSummary } from "~/api/queries";
import { toneColor } from "~/components/badges";
import classes from "~/pages/home/home.module.css";
import { outcomeOf } from "~/pages/home/outcome";

const STEP: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1, k: -1, j: 1 };

/** One square per run, oldest first: the shape of what happened lately. */
export function OutcomeStrip({ runs }: { runs: RunSummary[] }) {
  const [pointed, setPointed] = useState<{ run: RunSummary; square: HTMLElement } | null>(null);
  const [reached, setReached] = useState<number | null>(null);
  const oldestFirst = runs.toReversed();
  const tabStop = oldestFirst.some(({ id }) => id === reached) ? reached : oldestFirst.at(-1)?.id;

  function walk(event: KeyboardEvent<HTMLOListElement>) {
    const squares = [...event.currentTarget.querySelectorAll("a")];
    const here = squares.indexOf(event.target as HTMLAnchorElement);
    const step = STEP[event.key];
    const next =
      event.key === "Home" ? squares[0] : event.key === "End" ? squares.at(-1) : step && squares[here + step];
    if (!next) return;
    event.preventDefault();
    next.focus();
  }

  return (
    <>
      <ol
        className={classes.strip}
        aria-label={`The last ${runs.length} runs, oldest first`}
        onKeyDown={walk}
        onMouseLeave={() => setPointed(null)}
      >
        {oldestFirst.map((run) => {
          const { tone, sign, words } = outcomeOf(run);
          return (
            <li key={run.id}>
              <Link
                to="/runs/$runId"
                params={{ runId: run.id }}
                className={classes.square}
                aria-label={`Run ${run.id}: ${words}`}
                tabIndex={run.id === tabStop ? 0 : -1}
                onMouseEnter={(event) => setPointed({ run, square: event.currentTarget })}
                onFocus={(event) => {
                  setReached(run.id);
                  setPointed({ run, square: event.currentTarget });
                }}
                onBlur={() => setPointed(null)}
              >
                <span
                  data-live={run.status === "running" || undefined}
                  style={{ color: toneColor(tone), backgroundColor: toneColor(tone, true) }}
                >
                  {sign}
                </span>
              </Link>
            </li>
          );
        })}
      </ol>
      {pointed && (
        <Tooltip
          opened
          target={pointed.square}
          multiline
          maw={340}
          label={<RunInWords run={pointed.run} />}
        />
      )}
    </>
  );
}

function RunInWords({ run }: { run: RunSummary }) {
  return (
    <span className={classes.words}>
      <strong>
        Run {run.id}: {outcomeOf(run).words}
      </strong>
      <span>{run.agent_name}</span>
      <span>{run.user_instruction}</span>
    </span>
  );
}
