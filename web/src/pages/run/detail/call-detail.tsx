import { Code, List, Stack, Text } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { IconBolt, IconCircleX } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { ledgerDiffQuery } from "~/api/queries";
import { ToneBadge } from "~/components/badges";
import { Banner } from "~/components/banner";
import { Confidence } from "~/components/confidence";
import { JsonView } from "~/components/json-view";
import { OperationList, Violations } from "~/components/ledger/operation-list";
import { money } from "~/components/money";
import { Response } from "~/components/response";
import { Pairs, PlainText, Section } from "~/components/section";
import { TransportFailure } from "~/components/transport-failure";
import { FAULTS } from "~/components/wire-faults";
import { AdapterNotes, LiveTool } from "~/pages/run/detail/live-tool";
import { countOf, isRecord, listOf, operationsOf, textOf } from "~/pages/run/model/events";
import { REFUSALS } from "~/pages/run/model/refusals";
import type { Step } from "~/pages/run/model/waterfall";
import type { RunView } from "~/pages/run/view";

const WALKING_MS = 120;

/** Who answered, in words. */
const ENGINES: Record<string, string> = {
  program: "program of the tool",
  world: "world",
  llm: "language model",
  replay: "replay",
};

/** A tool call: what was asked, what came back and why, what it did to the world. */
export function CallDetail({ view, step }: { view: RunView; step: Step }) {
  const { data } = step.event;
  const key = step.sequence;
  const fault = textOf(data.fault);
  return (
    <Stack gap="md">
      {step.refused && <Refusal step={step} />}
      {fault && <Fault fault={fault} />}
      {step.source === "transport_error" && <TransportFailure response={data.response} />}
      {step.changes > 0 && <Operations view={view} step={step} />}
      <AdapterNotes notes={listOf(data.adapter_notes)} />
      <Violations found={listOf(data.violations)} />
      <LiveTool step={step} />
      {"arguments" in data && (
        <Section title="Arguments">
          <JsonView key={key} value={data.arguments} name="arguments" depth={3} />
        </Section>
      )}
      {textOf(data.body) && (
        <Section title="Body as it arrived">
          <PlainText text={String(data.body)} label="body" />
        </Section>
      )}
      {"response" in data && fault === null && (
        <Section title="Response">
          <Response key={key} response={data.response} />
        </Section>
      )}
      {step.rule !== null && <Rule view={view} index={step.rule} />}
      <Simulation validation={data.validation} model={data.model} />
      <Notes notes={listOf(data.rule_notes)} />
    </Stack>
  );
}

function Refusal({ step }: { step: Step }) {
  const code = textOf(step.event.data.code) ?? "refused";
  const count = countOf(step.event);
  return (
    <Banner tone="error" icon={<IconCircleX size={16} aria-hidden />} label="Why the call was refused">
      <Text size="sm" fw={600}>
        {REFUSALS[code] ?? "The proxy refused this call."}{" "}
        <Text span size="xs" fw={400} ff="monospace" c="var(--ody-text-dim)">
          {code}
        </Text>
      </Text>
      <Faults
        faults={listOf(step.event.data.errors).filter(isRecord)}
        detail={textOf(step.event.data.detail)}
      />
      {"count" in step.event.data && (
        <Text size="sm">
          {count === 1 ? "One refusal" : `${count} refusals`} within this minute; bodies are not kept.
        </Text>
      )}
      <Text size="sm">Nothing answered it and nothing changed.</Text>
    </Banner>
  );
}

/** Every fault by its place; one alone is the detail already. */
function Faults({ faults, detail }: { faults: Record<string, unknown>[]; detail: string | null }) {
  if (faults.length === 0) return detail && <Text size="sm">{detail}</Text>;
  return (
    <List size="sm">
      {faults.map(({ loc, msg }) => (
        <List.Item key={`${listOf(loc).join(".")} ${String(msg)}`}>
          {listOf(loc).length > 0 && <Code>{listOf(loc).join(".")}</Code>} {String(msg)}
        </List.Item>
      ))}
    </List>
  );
}

function Fault({ fault }: { fault: string }) {
  return (
    <Banner tone="injected" icon={<IconBolt size={16} aria-hidden />} label="Injected fault">
      <Text size="sm">{FAULTS[fault] ?? `The wire failed: ${fault}.`}</Text>
    </Banner>
  );
}

function Rule({ view, index }: { view: RunView; index: number }) {
  const rule = listOf(view.run.odyssey_seed.failure_rules)[index];
  return (
    <Section title={`Answered by failure_rules[${index}]`}>
      <JsonView key={index} value={rule ?? null} name={`failure rule ${index}`} depth={3} />
    </Section>
  );
}

function Operations({ view, step }: { view: RunView; step: Step }) {
  const [sequence] = useDebouncedValue(step.sequence, WALKING_MS);
  const { data: diff } = useQuery(ledgerDiffQuery(view.run.id, view.attempt, sequence - 1, sequence));
  const changes = diff?.to === step.sequence ? diff.changes : [];
  return (
    <Section
      title={
        step.source === "passthrough" ? "Changes to the ledger, by the adapter" : "Changes to the ledger"
      }
    >
      <OperationList operations={operationsOf(step.event)} changes={changes} />
    </Section>
  );
}

function Simulation({ validation, model }: { validation: unknown; model: unknown }) {
  if (!isRecord(validation) && !isRecord(model)) return null;
  return (
    <Section title="Simulation">
      {isRecord(validation) && <Validation validation={validation} />}
      {isRecord(model) && <ModelUse model={model} />}
    </Section>
  );
}

function Validation({ validation }: { validation: Record<string, unknown> }) {
  const { engine, confidence, schema, attempts, errors, valid } = validation;
  const checked =
    schema === "output_schema"
      ? valid === true
        ? "fits output_schema"
        : "does not fit output_schema"
      : "not checked against a schema";
  return (
    <>
      <Pairs
        pairs={[
          ["Engine", ENGINES[String(engine)] ?? String(engine)],
          ["Read as", textOf(validation.explanation)],
          ["Response", checked],
          ["Attempts", typeof attempts === "number" && attempts > 1 ? String(attempts) : null],
        ]}
      />
      {typeof confidence === "number" && <Confidence of={confidence} evidence={validation.evidence} />}
      {listOf(errors).length > 0 && <JsonView value={errors} name="validation errors" depth={3} />}
    </>
  );
}

/** What a model had to do with the answer. */
function ModelUse({ model }: { model: Record<string, unknown> }) {
  const tokens = [model.input_tokens, model.output_tokens].map((count) => Number(count).toLocaleString("en"));
  return (
    <Pairs
      pairs={[
        ["Model", `${String(model.model)} (${String(model.provider)})`],
        ["Failed", textOf(model.error)],
        ["Asked", model.cached === true ? "not this time: an earlier answer served again" : null],
        ["Tokens", model.cached === true ? null : `${tokens[0]} in, ${tokens[1]} out`],
        ["Cost", model.cached === true ? null : money(Number(model.cost_usd))],
        ["Took", model.cached === true ? null : `${Number(model.latency_ms).toLocaleString("en")} ms`],
      ]}
    />
  );
}

function Notes({ notes }: { notes: unknown[] }) {
  if (notes.length === 0) return null;
  return (
    <Section title="Rules that could not be evaluated">
      {notes.filter(isRecord).map((note) => (
        <Text size="sm" key={String(note.index)}>
          <ToneBadge tone="injected">rule {String(note.index)}</ToneBadge> {String(note.reason)}
        </Text>
      ))}
    </Section>
  );
}
