import { Text } from "@mantine/core";
import { ToneBadge } from "~/components/badges";
import classes from "~/components/rules/rules.module.css";
import { sentenceOf } from "~/components/rules/sentence";

/** Rules to read: one sentence each, under the number that traces give them. */
export function RulesInWords({ rules }: { rules: unknown[] }) {
  if (rules.length === 0) {
    return (
      <Text size="sm" c="var(--ody-text-dim)">
        No rules: every tool works.
      </Text>
    );
  }
  return (
    <ol className={classes.words}>
      {rules.map((rule, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a rule is known by its index
        <li key={index}>
          <ToneBadge tone="injected">{index}</ToneBadge>
          <Text span size="sm">
            {sentenceOf(rule)}
          </Text>
        </li>
      ))}
    </ol>
  );
}
