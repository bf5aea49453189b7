import { Skeleton, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { EvalRun } from "~/api/evals";
import { runQuery } from "~/api/queries";
import { DELIVERIES } from "~/components/evals/names";
import { LongText } from "~/components/json-view";
import { PlainText, Section } from "~/components/section";
import classes from "~/pages/evals/evals.module.css";

/** The instruction as the agent got it, and the text that was put to it. */
export function Asked({ run }: { run: EvalRun }) {
  const { data: ordinary } = useQuery(runQuery(run.id));
  const instruction = ordinary?.odyssey_seed.user_instruction;
  const ahead = run.delivery === "user" && run.injection !== null;
  return (
    <Stack gap="sm">
      {run.injection !== null && run.delivery !== null && (
        <Section title={run.placebo ? "The placebo" : "The pressure"}>
          <section
            className={classes.injection}
            data-placebo={run.placebo || undefined}
            // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls
            tabIndex={0}
            aria-label="Injected text"
          >
            <LongText text={run.injection} />
          </section>
          <Text size="xs" c="var(--ody-text-dim)" mt={4}>
            {DELIVERIES[run.delivery].means}
          </Text>
        </Section>
      )}
      <Section title={ahead ? "The rest of the instruction" : "Instruction"}>
        {typeof instruction === "string" ? (
          <PlainText
            text={ahead ? rest(instruction, run.injection ?? "") : instruction}
            label="Instruction"
          />
        ) : (
          <Skeleton height={80} />
        )}
      </Section>
    </Stack>
  );
}

/** What follows the text, which stands ahead of it. */
function rest(instruction: string, injection: string): string {
  return instruction.startsWith(injection) ? instruction.slice(injection.length).trimStart() : instruction;
}
