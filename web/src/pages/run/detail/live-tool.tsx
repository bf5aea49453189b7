import { Code, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { ToneBadge } from "~/components/badges";
import { TYPES } from "~/components/endpoint-type";
import { TextLink } from "~/components/page";
import { Pairs, Section } from "~/components/section";
import { duration } from "~/components/time";
import { isRecord, numberOf, textOf } from "~/pages/run/model/events";
import type { Step } from "~/pages/run/model/waterfall";
import { StepLink } from "~/pages/run/transcript/step-link";

/** Of a call that a live tool answered: which one, how, and whether that was played from a cassette. */
export function LiveTool({ step }: { step: Step }) {
  const { upstream, cassette, forward, output_schema_mismatch: mismatch } = step.event.data;
  if (!isRecord(upstream)) return null;
  const status = numberOf(upstream.status);
  const sent = numberOf(forward);
  return (
    <Section title="Live tool">
      <EndpointPairs
        id={textOf(upstream.endpoint_id)}
        name={textOf(upstream.endpoint)}
        type={textOf(upstream.type)}
        tool={textOf(upstream.tool_name)}
        rest={[
          ["HTTP status", status === null ? null : <Status key="status" status={status} />],
          [
            "Answer",
            upstream.is_error === true ? (
              <ToneBadge key="error" tone="amber" help="A 4xx, or an MCP result that says so of itself">
                an error, by its own word
              </ToneBadge>
            ) : null,
          ],
          ["Changes something", upstream.read_only === true ? "no" : "it may"],
          ["Took", step.length === null ? null : duration(step.length)],
          [
            "Sent as",
            sent === null ? null : (
              <StepLink key="sent" step={sent}>
                step {sent}
              </StepLink>
            ),
          ],
          ["Played from", isRecord(cassette) ? <PlayedFrom key="cassette" cassette={cassette} /> : null],
          [
            "Output schema",
            mismatch === true ? "the answer does not fit it; it was passed on as it is" : null,
          ],
        ]}
      />
    </Section>
  );
}

function Status({ status }: { status: number }) {
  return <ToneBadge tone={status < 400 ? "green" : status < 500 ? "amber" : "red"}>{status}</ToneBadge>;
}

function PlayedFrom({ cassette }: { cassette: Record<string, unknown> }) {
  const id = textOf(cassette.id);
  const number = numberOf(cassette.number);
  if (id === null) return "a cassette";
  return (
    <TextLink
      to="/cassettes/$cassetteId"
      params={{ cassetteId: id }}
      search={number === null ? {} : { call: number }}
    >
      a cassette, without the network
    </TextLink>
  );
}

interface EndpointPairsProps {
  id: string | null;
  name: string | null;
  type: string | null;
  tool: string | null;
  rest: [name: string, value: ReactNode | null][];
}

export function EndpointPairs({ id, name, type, tool, rest }: EndpointPairsProps) {
  return (
    <Pairs
      pairs={[
        [
          "Endpoint",
          id === null ? (
            name
          ) : (
            <TextLink
              key="endpoint"
              to="/endpoints/$endpointId"
              params={{ endpointId: id }}
              search={tool === null ? {} : { tool }}
            >
              {name ?? id}
            </TextLink>
          ),
        ],
        ["Type", type === null ? null : (TYPES[type as keyof typeof TYPES]?.name ?? type)],
        ["Tool there", tool === null ? null : <code key="tool">{tool}</code>],
        ...rest,
      ]}
    />
  );
}

/** What the ledger adapter left out of its answer, and why. */
export function AdapterNotes({ notes }: { notes: unknown[] }) {
  const read = notes.filter(isRecord);
  if (read.length === 0) return null;
  return (
    <Section title="What the ledger adapter left out">
      {read.map(({ member, field, message }) => (
        <Text size="sm" key={`${String(member)} ${String(field ?? "")} ${String(message)}`}>
          <Code>{textOf(field) === null ? String(member) : `${String(member)}.${String(field)}`}</Code>{" "}
          {String(message)}
        </Text>
      ))}
    </Section>
  );
}
