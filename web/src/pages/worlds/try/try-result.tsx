import { Group, Stack, Text } from "@mantine/core";
import { IconBolt } from "@tabler/icons-react";
import type { Tried, World } from "~/api/worlds";
import { SourceBadge, ToneBadge } from "~/components/badges";
import { Banner } from "~/components/banner";
import { lineText } from "~/components/behaviours/continued";
import { Confidence } from "~/components/confidence";
import { Fold } from "~/components/fold";
import { JsonView } from "~/components/json-view";
import { ChangedEntity } from "~/components/ledger/changed-entity";
import { OperationList, Violations } from "~/components/ledger/operation-list";
import type { Operation } from "~/components/ledger/operations";
import { Response } from "~/components/response";
import { sentenceOf } from "~/components/rules/sentence";
import { Section } from "~/components/section";
import { duration } from "~/components/time";
import { FAULTS } from "~/components/wire-faults";
import { linesNamed, readingInWords, remark } from "~/pages/worlds/try/reading";
import classes from "~/pages/worlds/try/try.module.css";
import type { Try } from "~/pages/worlds/try/use-tries";

/** What the world would answer to a call, why, and what that would do to it. */
export function TryResult({ one: { call, answer }, world }: { one: Try; world: World }) {
  const { source, matched_rule_index: rule, fault, validation, difference } = answer;
  const said = remark(answer.explanation, answer.reading);
  const lines = linesNamed(answer.explanation);
  const behaviour = call.behaviour ?? world.behavior_instructions;
  return (
    <Stack gap="md">
      <div>
        <Group gap={8} mb={4}>
          <span className={classes.name}>{call.tool}</span>
          <SourceBadge source={source} />
          {rule !== null && <ToneBadge tone="injected">rule {rule}</ToneBadge>}
          {isRefusal(answer.response) && <ToneBadge tone="amber">refused</ToneBadge>}
          {typeof validation?.engine === "string" && (
            <ToneBadge tone="neutral" help="The engine that answered">
              {validation.engine}
            </ToneBadge>
          )}
          <Text span size="xs" c="var(--ody-text-dim)">
            {duration(answer.latency_ms)}
          </Text>
        </Group>
        {answer.reading && (
          <Text size="sm" className={classes.reading} data-reading>
            {readingInWords(answer.reading)}
          </Text>
        )}
        {typeof validation?.confidence === "number" && (
          <Confidence of={validation.confidence} evidence={validation.evidence} />
        )}
        {said && (
          <Text size="xs" c="var(--ody-text-dim)" className={classes.reading}>
            {said}
          </Text>
        )}
      </div>
      {lines.length > 0 && (
        <Section title={`By behaviour ${lines.length > 1 ? "lines" : "line"} ${lines.join(", ")}`}>
          <pre className={classes.lines}>{lines.map((line) => lineText(behaviour, line)).join("\n")}</pre>
        </Section>
      )}
      {fault && (
        <Banner tone="injected" icon={<IconBolt size={16} aria-hidden />} label="Injected fault">
          <Text size="sm">{FAULTS[fault] ?? `The wire failed: ${fault}.`}</Text>
        </Banner>
      )}
      {!fault && (
        <Section title="Response">
          <Response key={call.number} response={answer.response} />
        </Section>
      )}
      <Difference difference={difference} />
      <Violations found={answer.violations} />
      {answer.operations.length > 0 && (
        <Section title="Operations">
          <OperationList operations={answer.operations as Operation[]} changes={difference.changes} />
        </Section>
      )}
      {rule !== null && (
        <Section title={`Answered by failure rule ${rule}`}>
          <Text size="sm" mb={4} className={classes.reading}>
            {sentenceOf(world.failure_rules[rule])}
          </Text>
          <JsonView value={world.failure_rules[rule] ?? null} name={`failure rule ${rule}`} depth={3} />
        </Section>
      )}
      <Fold label="Arguments and answer as JSON">
        <Stack gap="xs">
          <JsonView value={call.arguments} name="arguments" depth={3} />
          <JsonView value={answer} name="answer" depth={2} />
        </Stack>
      </Fold>
    </Stack>
  );
}

function isRefusal(response: unknown): boolean {
  return typeof response === "object" && response !== null && "error" in response;
}

function Difference({ difference }: { difference: Tried["difference"] }) {
  const { changes, flags_set, flags_cleared } = difference;
  const nothing = changes.length + flags_set.length + flags_cleared.length === 0;
  return (
    <Section title="What it would change">
      {nothing ? (
        <Text size="sm">Nothing.</Text>
      ) : (
        <Stack gap={6}>
          {changes.map((change) => (
            <div key={`${change.entity_type} ${change.id}`}>
              <Text size="xs" c="var(--ody-text-dim)">
                {change.entity_type}
              </Text>
              <ChangedEntity change={change} />
            </div>
          ))}
          <Group gap={6}>
            {flags_set.map((flag) => (
              <ToneBadge key={flag} tone="green">
                + {flag}
              </ToneBadge>
            ))}
            {flags_cleared.map((flag) => (
              <ToneBadge key={flag} tone="red">
                − {flag}
              </ToneBadge>
            ))}
          </Group>
        </Stack>
      )}
    </Section>
  );
}
