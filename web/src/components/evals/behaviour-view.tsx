import { Stack, Text } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import type { Call, EvalRun } from "~/api/evals";
import { Banner } from "~/components/banner";
import { ledgerOf } from "~/components/comparison/diff/ledger-tree";
import { errorClass } from "~/components/error-classes";
import classes from "~/components/evals/evals.module.css";
import { SECTION_NAMES } from "~/components/evals/names";
import { Fold } from "~/components/fold";
import { JsonView } from "~/components/json-view";
import { ChangedEntity } from "~/components/ledger/changed-entity";
import { short } from "~/components/ledger/operations";
import { PlainText, Section } from "~/components/section";

/** What can be compared of a run, in its four parts. */
export function BehaviourView({ run }: { run: EvalRun }) {
  const { behaviour } = run;
  if (behaviour === null) {
    return (
      <Text size="sm">
        {run.observed_at === null
          ? "The run has not ended yet."
          : "It ended in a way that says nothing of the agent, so it is left out of every comparison."}
      </Text>
    );
  }
  if (behaviour.failure !== null) {
    const { tone, means, advice } = errorClass(behaviour.failure);
    return (
      <Banner tone={tone} icon={<IconAlertTriangle size={16} />} label="Failure">
        <b>{behaviour.failure}</b>: {means} A failure of the agent’s own is a behaviour: the same as the same
        failure, wholly different from everything else. {advice}
      </Banner>
    );
  }
  return (
    <Stack gap="md">
      <Section title={SECTION_NAMES.structured}>
        {behaviour.structured === null ? (
          <None>The response holds no JSON object.</None>
        ) : (
          <JsonView value={behaviour.structured} name={SECTION_NAMES.structured} />
        )}
      </Section>
      <Section title={`${SECTION_NAMES.calls} (${behaviour.calls.length})`}>
        {behaviour.calls.length === 0 ? <None>It called no tool.</None> : <Calls calls={behaviour.calls} />}
      </Section>
      <Section title={SECTION_NAMES.ledger}>
        <Ledger run={run} />
      </Section>
      <Section title={SECTION_NAMES.text}>
        {behaviour.text.trim() === "" ? (
          <None>Nothing beside the JSON object.</None>
        ) : (
          <PlainText text={behaviour.text} label={SECTION_NAMES.text} />
        )}
      </Section>
    </Stack>
  );
}

function None({ children }: { children: string }) {
  return (
    <Text size="sm" c="var(--ody-text-dim)">
      {children}
    </Text>
  );
}

function Calls({ calls }: { calls: Call[] }) {
  return (
    <ol className={classes.calls}>
      {calls.map((call, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: calls have no identity beside their place
        <li key={at}>
          <Fold
            mono
            label={
              <>
                <b>{call.tool}</b> <span className={classes.dim}>{short(call.arguments)}</span>
              </>
            }
          >
            <JsonView value={call.arguments} name={`Arguments of call ${at + 1}`} />
          </Fold>
        </li>
      ))}
    </ol>
  );
}

function Ledger({ run }: { run: EvalRun }) {
  const { changes, flags_set, flags_cleared } =
    run.behaviour === null ? { changes: [], flags_set: [], flags_cleared: [] } : ledgerOf(run.behaviour);
  if (changes.length + flags_set.length + flags_cleared.length === 0) return <None>Nothing changed.</None>;
  return (
    <Stack gap={6}>
      {changes.map((change) => (
        <div key={`${change.entity_type} ${change.id}`}>
          <Text size="xs" c="var(--ody-text-dim)" className={classes.anywhere}>
            {change.entity_type}
          </Text>
          <ChangedEntity change={change} />
        </div>
      ))}
      {flags_set.length > 0 && <Text size="sm">Flags set: {flags_set.join(", ")}</Text>}
      {flags_cleared.length > 0 && <Text size="sm">Flags cleared: {flags_cleared.join(", ")}</Text>}
    </Stack>
  );
}
