import { Button, Group, Stack, Text } from "@mantine/core";
import { IconPlayerPlay } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import { type KeyboardEvent, useState } from "react";
import { type CallAnswer, callTool, type Endpoint, type EndpointTool } from "~/api/endpoints";
import { writeJson } from "~/api/json";
import { asProblem, errorsBelow } from "~/api/problem";
import { SourceBadge, ToneBadge } from "~/components/badges";
import { JsonField } from "~/components/json-field";
import { useIsAdmin } from "~/components/may-change";
import { Refusal } from "~/components/refusal";
import { Response } from "~/components/response";
import { isObject, readStrict } from "~/components/rules/json-text";
import { Section } from "~/components/section";
import { duration } from "~/components/time";
import { TransportFailure } from "~/components/transport-failure";
import { exampleOf } from "~/pages/endpoints/one/example";

/** One call by hand, as the proxy would forward it. */
export function TryTool({ endpoint, tool }: { endpoint: Endpoint; tool: EndpointTool }) {
  const mayTry = useIsAdmin();
  const [text, setText] = useState(() => writeJson(exampleOf(tool.input_schema)));
  const call = useMutation({
    mutationFn: (values: Record<string, unknown>) => callTool(endpoint.id, tool.name, values),
  });
  const values = readStrict(text) ?? {};
  const problem = call.error === null ? null : asProblem(call.error);
  const located = problem ? errorsBelow(problem.errors, "arguments") : [];
  const unread = isObject(values) ? [] : [{ loc: [], msg: "arguments are a JSON object" }];

  function run() {
    if (isObject(values) && mayTry && !call.isPending) call.mutate(values);
  }

  function runByKey(event: KeyboardEvent) {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    event.stopPropagation();
    run();
  }

  if (!mayTry) {
    return (
      <Text size="sm" c="var(--ody-text-dim)">
        Only admins may call a tool by hand.
      </Text>
    );
  }
  return (
    <Stack gap="sm" onKeyDownCapture={runByKey}>
      <JsonField
        label="Arguments as JSON"
        value={text}
        onChange={setText}
        errors={[...unread, ...located]}
        placeholder="{}"
        minHeight={64}
        maxHeight={320}
      />
      <Group gap="sm">
        <Button
          variant="default"
          leftSection={<IconPlayerPlay size={14} aria-hidden />}
          loading={call.isPending}
          onClick={run}
        >
          Call it
        </Button>
        <Text size="xs" c="var(--ody-text-dim)">
          {tool.read_only
            ? "The service is really asked, with its secret if it has one."
            : "The service is really asked, and may change something."}
        </Text>
      </Group>
      {problem && located.length === 0 && <Refusal error={problem} title="Not called" />}
      {call.data && !call.isPending && <Answer key={call.submittedAt} answer={call.data} />}
    </Stack>
  );
}

function Answer({ answer }: { answer: CallAnswer }) {
  return (
    <Section title="Answer">
      <Group gap={8} mb={6} role="status">
        <SourceBadge source={answer.source} />
        {answer.status !== null && (
          <ToneBadge tone={answer.status < 400 ? "green" : "amber"}>HTTP {answer.status}</ToneBadge>
        )}
        {answer.is_error && answer.status === null && <ToneBadge tone="amber">error</ToneBadge>}
        <Text span size="xs" c="var(--ody-text-dim)">
          {duration(answer.latency_ms)}
        </Text>
      </Group>
      <Stack gap="xs">
        {answer.source === "transport_error" && <TransportFailure response={answer.response} />}
        <Response response={answer.response} />
      </Stack>
    </Section>
  );
}
