import { Stack, Text } from "@mantine/core";
import { IconCircleX } from "@tabler/icons-react";
import { Banner } from "~/components/banner";
import { errorClass } from "~/components/error-classes";
import { JsonView } from "~/components/json-view";
import { PlainText, Section } from "~/components/section";
import { isRecord, listOf, type TraceEvent, textOf } from "~/pages/run/model/events";
import { readWarning } from "~/pages/run/model/soft-warnings";

/** What came back from the agent, readable or not. */
export function ReplyDetail({ event }: { event: TraceEvent }) {
  const { data } = event;
  const name = textOf(data.error_class);
  const final = isRecord(data.body) ? textOf(data.body.final_response) : null;
  const warnings = listOf(data.soft_warnings).map((warning) => readWarning(String(warning)));
  return (
    <Stack gap="md">
      {name && (
        <Banner
          tone={errorClass(name).tone}
          icon={<IconCircleX size={16} aria-hidden />}
          label="Why the dispatch failed"
        >
          <Text size="sm" fw={600}>
            {errorClass(name).means}
          </Text>
          {textOf(data.detail) && <Text size="sm">{String(data.detail)}</Text>}
        </Banner>
      )}
      {textOf(data.evidence) && (
        <Section title="What arrived">
          <PlainText text={String(data.evidence)} label="what arrived" />
        </Section>
      )}
      {final && (
        <Section title="Final response">
          <PlainText text={final} label="final response" />
        </Section>
      )}
      {warnings.length > 0 && (
        <Section title="Warnings">
          {warnings.map(({ code, sentence, found }) => (
            <Text size="sm" key={code + found}>
              {sentence} {found}
            </Text>
          ))}
        </Section>
      )}
      {"body" in data && (
        <Section title="Body">
          <JsonView value={data.body} name="reply body" depth={1} />
        </Section>
      )}
    </Stack>
  );
}
