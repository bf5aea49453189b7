import { Stack, Text } from "@mantine/core";
import type { BehaviourProblem } from "~/api/behaviours";
import classes from "~/components/behaviours/behaviours.module.css";
import { LeftLines } from "~/components/behaviours/line-reports";
import { withNewlines } from "~/components/newlines";

interface BehavioursShownProps {
  text: string;
  problems: BehaviourProblem[];
}

/** Lines to read, with their numbers and what is not understood. */
export function BehavioursShown({ text, problems }: BehavioursShownProps) {
  if (text.trim() === "") return <Text size="sm">None.</Text>;
  return (
    <Stack gap="xs">
      <ol className={classes.shown}>
        {withNewlines(text)
          .split("\n")
          .map((line, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a line is known by its number
            <li key={index}>{line || "\u200b"}</li>
          ))}
      </ol>
      <LeftLines left={problems.map(({ line, ...rest }) => ({ number: line, ...rest }))} />
    </Stack>
  );
}
