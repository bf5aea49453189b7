import { Button, Kbd, Select, Stack, Text, UnstyledButton } from "@mantine/core";
import { IconFlask, IconPlayerPlay } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { type KeyboardEvent, useMemo, useState } from "react";
import { writeJson } from "~/api/json";
import { asProblem, errorsBelow } from "~/api/problem";
import { type Agent, agentsQuery } from "~/api/queries";
import type { World } from "~/api/worlds";
import { SourceBadge } from "~/components/badges";
import { counted } from "~/components/counted";
import { useMayChange } from "~/components/may-change";
import { ButtonLink, Panel } from "~/components/page";
import { Refusal } from "~/components/refusal";
import { readStrict, Unread } from "~/components/rules/json-text";
import { type ToolInfo, toolsOf } from "~/components/rules/tools";
import { Empty, ErrorState, RowsLoading } from "~/components/states";
import { fieldsOf } from "~/pages/worlds/try/arguments";
import { ArgumentsForm, draftOf, readArguments } from "~/pages/worlds/try/arguments-form";
import classes from "~/pages/worlds/try/try.module.css";
import { TryResult } from "~/pages/worlds/try/try-result";
import { type Try, useTries } from "~/pages/worlds/try/use-tries";
import { VIEWERS_READ } from "~/pages/worlds/viewers";
import { compact } from "~/shell/search";

const route = getRouteApi("/app/worlds/$worldId");

interface TryTabProps {
  world: World;
  /** Changes to entities that are not in the saved world. */
  unsaved: number;
}

/** One call of one tool on a scratch copy of the world. */
export function TryTab({ world, unsaved }: TryTabProps) {
  const { agent: agentId, tool: toolName, args } = route.useSearch();
  const navigate = route.useNavigate();
  const mayTry = useMayChange();
  const agents = useQuery(agentsQuery);
  const tries = useTries(world.id);
  const [form, setForm] = useState({ count: 0, start: addressed(args) });
  const usable = (agents.data ?? []).filter((agent) => agent.tools_schema.length > 0);
  const agent = usable.find(({ id }) => id === agentId) ?? usable[0];
  const tools = useMemo(() => toolsOf(agent?.tools_schema), [agent]);
  const tool = tools.find(({ name }) => name === toolName) ?? tools[0];

  function go(change: { agent?: number | undefined; tool?: string | undefined; args?: string | undefined }) {
    tries.forgetError();
    void navigate({
      search: (before) => compact({ ...before, ...change }),
      replace: true,
      resetScroll: false,
    });
  }

  /** Another form with these arguments in it. */
  function begin(start: unknown) {
    setForm(({ count }) => ({ count: count + 1, start }));
  }

  function choose(change: { agent: number; tool?: string | undefined }) {
    begin({});
    go({ tool: undefined, args: undefined, ...change });
  }

  function again({ call }: Try) {
    tries.show(call.number);
    begin(call.arguments);
    go({ agent: call.agentId, tool: call.tool, args: writeJson(call.arguments, 0) });
  }

  if (!agents.data) {
    return agents.error ? (
      <ErrorState error={agents.error} retry={() => void agents.refetch()} />
    ) : (
      <RowsLoading />
    );
  }
  if (!agent || !tool) {
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
  return (
    <div className={classes.split}>
      <div className={classes.call}>
        <Panel title="Call">
          <Stack gap="sm">
            <Select
              size="xs"
              label="Agent"
              searchable
              allowDeselect={false}
              nothingFoundMessage="No such agent"
              data={usable.map(({ id, name }) => ({ value: String(id), label: name }))}
              value={String(agent.id)}
              onChange={(id) => id !== null && choose({ agent: Number(id) })}
            />
            <ToolChoice
              tools={tools}
              chosen={tool}
              onChoose={(name) => choose({ agent: agent.id, tool: name })}
            />
            <CallForm
              key={`${agent.id} ${tool.name} ${form.count}`}
              agent={agent}
              tool={tool}
              start={form.start}
              tries={tries}
              mayTry={mayTry}
              onRun={(values) => go({ agent: agent.id, tool: tool.name, args: writeJson(values, 0) })}
            />
            <Text size="xs" c="var(--ody-text-dim)">
              Nothing is saved: every call begins from the world as it is stored.
              {unsaved > 0 &&
                ` Your ${counted(unsaved, "unsaved change")} to entities ${unsaved === 1 ? "is" : "are"} not in it.`}
            </Text>
          </Stack>
        </Panel>
      </div>
      <div className={classes.answer}>
        <Panel title="Answer">
          {tries.shown ? (
            <TryResult key={tries.shown.call.number} one={tries.shown} world={world} />
          ) : (
            <Empty icon={<IconFlask size={28} stroke={1.5} />} title="Nothing tried yet">
              Run a call to see what the world answers, how the engine read it, how sure it is, and what it
              would change.
            </Empty>
          )}
        </Panel>
      </div>
      {tries.tries.length > 0 && (
        <div className={classes.tries}>
          <History tries={tries} onShow={again} />
        </div>
      )}
    </div>
  );
}

interface ToolChoiceProps {
  tools: ToolInfo[];
  chosen: ToolInfo;
  onChoose: (name: string) => void;
}

function ToolChoice({ tools, chosen, onChoose }: ToolChoiceProps) {
  return (
    <Select
      size="xs"
      label="Tool"
      searchable
      allowDeselect={false}
      nothingFoundMessage="No such tool"
      description={chosen.description || undefined}
      descriptionProps={{ className: classes.description ?? "" }}
      inputWrapperOrder={["label", "input", "error", "description"]}
      data={tools.map(({ name }) => name)}
      value={chosen.name}
      onChange={(name) => name !== null && onChoose(name)}
    />
  );
}

interface CallFormProps {
  agent: Agent;
  tool: ToolInfo;
  /** The arguments it begins with. */
  start: unknown;
  tries: ReturnType<typeof useTries>;
  mayTry: boolean;
  onRun: (values: Record<string, unknown>) => void;
}

function CallForm({ agent, tool, start, tries, mayTry, onRun }: CallFormProps) {
  const fields = useMemo(() => fieldsOf(tool.inputSchema), [tool]);
  const [draft, setDraft] = useState(() => draftOf(fields, start));
  const { values, faults } = readArguments(fields, draft);
  const problem = tries.error === null ? null : asProblem(tries.error);
  const located = problem ? errorsBelow(problem.errors, "arguments") : [];

  function run() {
    if (faults.length > 0 || !mayTry || tries.running) return;
    onRun(values);
    tries.run({ agentId: agent.id, tool: tool.name, arguments: values });
  }

  function runByKey(event: KeyboardEvent) {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    event.stopPropagation();
    run();
  }

  return (
    <Stack gap="sm" onKeyDownCapture={runByKey}>
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

/** The arguments the address names. */
function addressed(args: string | undefined): unknown {
  const value = args === undefined ? {} : readStrict(args);
  return value instanceof Unread || value === undefined ? {} : value;
}

interface HistoryProps {
  tries: ReturnType<typeof useTries>;
  onShow: (one: Try) => void;
}

function History({ tries: { tries, shown }, onShow }: HistoryProps) {
  return (
    <Panel title={`Tried here (${tries.length})`} flush>
      <ol className={classes.history} aria-label="Tries" reversed>
        {tries.map((one) => (
          <li key={one.call.number}>
            <UnstyledButton
              className={classes.tried}
              aria-current={one === shown}
              onClick={() => onShow(one)}
            >
              <span className={classes.triedName}>{one.call.tool}</span>
              <SourceBadge source={one.answer.source} />
              <span className={classes.triedArguments}>{writeJson(one.call.arguments, 0)}</span>
            </UnstyledButton>
          </li>
        ))}
      </ol>
    </Panel>
  );
}
