import { Button, Kbd, Select, Stack, Text } from "@mantine/core";
import { IconFlask, IconPlayerPlay } from "@tabler/icons-react";
import { type KeyboardEvent, type RefObject, useImperativeHandle, useMemo, useState } from "react";
import { writeJson } from "~/api/json";
import { asProblem, errorsBelow } from "~/api/problem";
import { useMayChange } from "~/components/may-change";
import { ButtonLink, Panel } from "~/components/page";
import { Refusal } from "~/components/refusal";
import type { ToolInfo } from "~/components/rules/tools";
import { Empty } from "~/components/states";
import { fieldsOf } from "~/pages/worlds/try/arguments";
import { ArgumentsForm, draftOf, readArguments } from "~/pages/worlds/try/arguments-form";
import classes from "~/pages/worlds/try/try.module.css";
import type { Choice } from "~/pages/worlds/try/use-choice";
import type { Tries } from "~/pages/worlds/try/use-tries";
import { VIEWERS_READ } from "~/pages/worlds/viewers";

/** Whose tools are meant. */
export function AgentChoice({ choice: { agents, agent, choose } }: { choice: Choice }) {
  return (
    <Select
      size="xs"
      label="Agent"
      searchable
      allowDeselect={false}
      nothingFoundMessage="No such agent"
      data={(agents ?? []).map(({ id, name }) => ({ value: String(id), label: name }))}
      value={agent === undefined ? null : String(agent.id)}
      onChange={(id) => id !== null && choose({ agent: Number(id) })}
    />
  );
}

export interface CallHandle {
  run: () => void;
}

interface CallFormProps {
  choice: Choice;
  tries: Tries;
  /** For who wants to run it from elsewhere. */
  handle?: RefObject<CallHandle | null>;
  /** Lines that stand in place of those of the world. */
  behaviour?: string;
}

/** A tool, its arguments and the button that tries them. */
export function CallForm({ choice, tries, handle, behaviour }: CallFormProps) {
  const { agent, tools, tool, form, choose, go } = choice;
  if (!agent || !tool) return null;
  return (
    <Stack gap="sm">
      <Select
        size="xs"
        label="Tool"
        searchable
        allowDeselect={false}
        nothingFoundMessage="No such tool"
        description={tool.description || undefined}
        descriptionProps={{ className: classes.description ?? "" }}
        inputWrapperOrder={["label", "input", "error", "description"]}
        data={tools.map(({ name }) => name)}
        value={tool.name}
        onChange={(name) => {
          if (name === null) return;
          tries.forgetError();
          choose({ agent: agent.id, tool: name });
        }}
      />
      <Arguments
        key={form.key}
        tool={tool}
        start={form.start}
        tries={tries}
        handle={handle}
        onRun={(values) => {
          go({ agent: agent.id, tool: tool.name, args: writeJson(values, 0) });
          tries.run({ agentId: agent.id, tool: tool.name, arguments: values, behaviour });
        }}
      />
    </Stack>
  );
}

/** Ctrl Enter, before an editor takes it for a new line. */
export function onRunKey(run: () => void) {
  return (event: KeyboardEvent) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    event.stopPropagation();
    run();
  };
}

interface ArgumentsProps {
  tool: ToolInfo;
  start: unknown;
  tries: Tries;
  handle: RefObject<CallHandle | null> | undefined;
  onRun: (values: Record<string, unknown>) => void;
}

function Arguments({ tool, start, tries, handle, onRun }: ArgumentsProps) {
  const mayTry = useMayChange();
  const fields = useMemo(() => fieldsOf(tool.inputSchema), [tool]);
  const [draft, setDraft] = useState(() => draftOf(fields, start));
  const { values, faults } = readArguments(fields, draft);
  const problem = tries.error === null ? null : asProblem(tries.error);
  const located = problem ? errorsBelow(problem.errors, "arguments") : [];

  function run() {
    if (faults.length > 0 || !mayTry || tries.running) return;
    onRun(values);
  }

  useImperativeHandle(handle, () => ({ run }));

  return (
    <Stack gap="sm" onKeyDownCapture={onRunKey(run)}>
      <ArgumentsForm fields={fields} draft={draft} onChange={setDraft} errors={located} />
      {problem && located.length === 0 && <Refusal error={problem} title="Not tried" />}
      <Button
        leftSection={<IconPlayerPlay size={14} />}
        loading={tries.running}
        disabled={!mayTry}
        title={mayTry ? undefined : VIEWERS_READ}
        onClick={run}
      >
        Run
      </Button>
      <Text size="xs" c="var(--ody-text-dim)" ta="center">
        <Kbd size="xs">Ctrl</Kbd> <Kbd size="xs">Enter</Kbd> runs it
      </Text>
    </Stack>
  );
}

/** Nothing can be tried: no agent declares a tool. */
export function NoTools() {
  return (
    <Panel>
      <Empty
        icon={<IconFlask size={32} stroke={1.5} />}
        title="No tools to try"
        action={
          <ButtonLink to="/agents/new" variant="default">
            Register an agent
          </ButtonLink>
        }
      >
        A world is tried with the tools of an agent, and no agent here declares any.
      </Empty>
    </Panel>
  );
}
