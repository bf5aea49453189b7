import { Stack, Text } from "@mantine/core";
import { ToneBadge } from "~/components/badges";
import classes from "~/components/ledger/ledger.module.css";
import {
  type Change,
  type Operation,
  type OperationLine,
  operationLines,
} from "~/components/ledger/operations";
import { isObject } from "~/components/rules/json-text";
import { Section } from "~/components/section";

/** Operations as lines; `changes` tells what updated members were before. */
export function OperationList({ operations, changes }: { operations: Operation[]; changes: Change[] }) {
  return (
    <ul className={classes.operations}>
      {operationLines(operations, changes).map((line, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: operations have no identity beside their place
        <Line key={index} line={line} />
      ))}
    </ul>
  );
}

function Line({ line: { sign, verb, subject, before, after } }: { line: OperationLine }) {
  return (
    <li>
      <span className={classes.sign} data-sign={sign} aria-hidden>
        {sign}
      </span>
      <span>
        <span className={classes.verb}>{verb}</span> {subject}{" "}
        {before !== null && (
          <>
            <span className={classes.before}>{before}</span> →{" "}
          </>
        )}
        {after !== null && <span className={classes.after}>{after}</span>}
      </span>
    </li>
  );
}

export function Violations({ found }: { found: unknown[] }) {
  if (found.length === 0) return null;
  return (
    <Section title="Contradicts the world">
      <Stack gap={4}>
        {found.filter(isObject).map((violation, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: violations have no identity beside their place
          <Text size="sm" key={index}>
            <ToneBadge tone="amber">{String(violation.kind)}</ToneBadge> {String(violation.message)}
          </Text>
        ))}
      </Stack>
    </Section>
  );
}
