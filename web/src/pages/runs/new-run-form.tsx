import { Button, Group, Input, SegmentedControl, Stack, Textarea } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type KeyboardEvent, useMemo, useState } from "react";
import { writeJson } from "~/api/json";
import { errorsAt, errorsBelow, type FieldError, messageAt } from "~/api/problem";
import { type Agent, versionQuery } from "~/api/queries";
import { AgentField } from "~/components/agent-field";
import { CurrentFaults } from "~/components/current-faults";
import { entityTypesOf } from "~/components/example-state";
import { JsonField } from "~/components/json-field";
import { modeOf } from "~/components/mode-badge";
import { Page, Panel, TextLink } from "~/components/page";
import { toolsOf } from "~/components/rules/tools";
import { Folded } from "~/pages/runs/folded";
import { GradingSection } from "~/pages/runs/grading-section";
import { LiveToolsSection } from "~/pages/runs/live-tools-section";
import { checkable, type NewRun, written } from "~/pages/runs/new-run";
import classes from "~/pages/runs/new-run.module.css";
import { showField } from "~/pages/runs/show-field";
import { StartPanel } from "~/pages/runs/start-panel";
import { useNewRun } from "~/pages/runs/use-new-run";
import { useStart } from "~/pages/runs/use-start";
import { useValidation } from "~/pages/runs/use-validation";
import { WorldSection } from "~/pages/runs/world-section";
import { compact } from "~/shell/search";

interface NewRunFormProps {
  agents: Agent[];
  /** What the page begins with when nothing unsent is kept. */
  start: NewRun;
  /** The agent the address names. */
  addressedAgent: number | undefined;
  /** The world the address names. */
  addressedWorld: number | undefined;
  /** The run it is modelled on. */
  like: number | undefined;
  storageKey: string;
  mayStart: boolean;
}

export function NewRunForm(props: NewRunFormProps) {
  const { agents, start, addressedAgent, addressedWorld, like, storageKey, mayStart } = props;
  const navigate = useNavigate({ from: "/runs/new" });
  const draft = useNewRun(storageKey, start);
  const { change } = draft;
  const run = useMemo(
    () => ({
      ...draft.run,
      agentId: addressedAgent ?? draft.run.agentId,
      worldId: addressedWorld ?? draft.run.worldId,
    }),
    [draft.run, addressedAgent, addressedWorld],
  );
  const agent = agents.find(({ id }) => id === run.agentId);
  const { toolsSchema, ledgerSchema } = useSchemas(agent);
  const known = useMemo(
    () => ({ tools: toolsOf(toolsSchema), entityTypes: entityTypesOf(ledgerSchema) }),
    [toolsSchema, ledgerSchema],
  );

  const live = useMemo(() => liveTools(toolsSchema), [toolsSchema]);

  const { body, faults } = useMemo(() => written(run), [run]);
  const question = useMemo(() => writeJson(checkable(run), 0), [run]);
  const validation = useValidation(agent !== undefined && mayStart ? question : null);
  const starting = useStart(draft.forget);
  const [visited, setVisited] = useState(false);

  const refusals = starting.refusals(body);
  const found = refusals ?? validation.errors;
  const unwritten = run.instruction === "" && !visited;
  const atReplay = errorsAt(found, "cassette").map(({ msg }) => ({ loc: ["cassette"], msg }));
  const errors = [...faults, ...errorsBelow(found, "seeds", 0), ...atReplay].filter(
    ({ loc }) => !(unwritten && loc[0] === "user_instruction"),
  );
  const barred = !mayStart
    ? "Viewers may read runs but not start them."
    : agent && agent.published_version === null
      ? "This agent is a draft. Publish it to start the run."
      : null;

  function address(part: { agent_id?: number | undefined; world_id?: number | undefined }) {
    void navigate({ search: (before) => compact({ ...before, ...part }), replace: true });
  }

  function reset() {
    draft.reset();
    address({ world_id: start.worldId ?? undefined });
  }

  function attempt() {
    if (barred !== null || starting.starting) return;
    setVisited(true);
    if (agent === undefined) showField(["agent_id"]);
    else if (faults[0]) show(faults[0]);
    else starting.start(body);
  }

  function show({ loc }: FieldError) {
    const [member, index] = loc;
    if (member === "failure_rules" && run.rules.mode === "form") {
      const items = run.rules.items.map((item, at) => (at === index ? { ...item, open: true } : item));
      change({ rules: { mode: "form", items } });
    }
    requestAnimationFrame(() => showField(loc));
  }

  function startByKey(event: KeyboardEvent) {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    // Before the editors see it: there it would insert a line.
    event.preventDefault();
    event.stopPropagation();
    attempt();
  }

  return (
    <Page
      title={like === undefined ? "New run" : `New run like ${like}`}
      trail={[
        <TextLink key="runs" to="/runs">
          Runs
        </TextLink>,
        ...(like === undefined
          ? []
          : [
              <TextLink key="like" to="/runs/$runId" params={{ runId: like }}>
                {like}
              </TextLink>,
            ]),
      ]}
      curl={[
        { what: "Start this", method: "POST", path: "/api/runs", body },
        { what: "Only check it", method: "POST", path: "/api/runs/validate", body },
      ]}
      actions={
        draft.touched && (
          <Button variant="subtle" color="gray" onClick={reset}>
            {like === undefined ? "Discard" : `Back to run ${like}`}
          </Button>
        )
      }
    >
      <div className={classes.columns} onKeyDownCapture={startByKey}>
        <CurrentFaults value={refusals !== null || !validation.checking}>
          <Stack gap="md">
            <Panel title="Task">
              <Stack gap="sm">
                <div data-field="agent_id">
                  <AgentField
                    agents={agents}
                    chosen={agent}
                    onChoose={(agentId) => {
                      change({ agentId });
                      if (agentId !== null) address({ agent_id: agentId });
                    }}
                    error={messageAt(found, "agent_id") ?? unknownAgent(run.agentId, agent)}
                  />
                </div>
                <div data-field="user_instruction">
                  <Textarea
                    label="User instruction"
                    description="What the agent is asked to do."
                    autosize
                    minRows={3}
                    maxRows={16}
                    value={run.instruction}
                    onChange={({ currentTarget }) => change({ instruction: currentTarget.value })}
                    onBlur={() => setVisited(true)}
                    error={errors.find(({ loc }) => loc[0] === "user_instruction")?.msg}
                  />
                </div>
                <Outcome run={run} onChange={change} errors={errors} />
                <div data-field="input">
                  <Folded title="Input" inUse={run.input !== ""}>
                    <JsonField
                      label="Input"
                      description="An object the agent gets as current_state, beside the instruction."
                      value={run.input}
                      onChange={(input) => change({ input })}
                      errors={errorsBelow(errors, "input")}
                      placeholder={'{"ticket": "T-1041"}'}
                      minHeight={64}
                    />
                  </Folded>
                </div>
              </Stack>
            </Panel>
            <WorldSection
              run={run}
              onChange={(part) => {
                change(part);
                if (part.worldId !== undefined) address({ world_id: part.worldId ?? undefined });
              }}
              errors={errors}
              ledgerSchema={ledgerSchema}
              known={known}
            />
            <LiveToolsSection
              run={run}
              onChange={change}
              live={live}
              error={errors.find(({ loc }) => loc[0] === "cassette")?.msg ?? null}
            />
            <GradingSection run={run} onChange={change} errors={errors} known={known} />
          </Stack>
        </CurrentFaults>
        <div className={classes.rail}>
          <StartPanel
            run={run}
            onChange={change}
            errors={errors}
            todo={agent === undefined ? "Choose an agent." : unwritten ? "Write an instruction." : null}
            checking={validation.checking}
            accepted={validation.accepted && faults.length === 0}
            failure={starting.failure ?? validation.failure}
            barred={barred}
            starting={starting.starting}
            onStart={attempt}
            onShow={show}
          />
        </div>
      </div>
    </Page>
  );
}

interface OutcomeProps {
  run: NewRun;
  onChange: (part: Partial<NewRun>) => void;
  errors: FieldError[];
}

function Outcome({ run, onChange, errors }: OutcomeProps) {
  return (
    <div data-field="expected_outcome">
      <Input.Wrapper
        label="Expected outcome"
        labelElement="div"
        description={
          run.refusal
            ? "A good agent turns this down: the ledger stays unchanged and no mutating call is made."
            : "A good agent carries this out."
        }
        error={errors.find(({ loc }) => loc[0] === "expected_outcome")?.msg}
        inputWrapperOrder={["label", "input", "error", "description"]}
      >
        <Group>
          <SegmentedControl
            size="xs"
            aria-label="Expected outcome"
            data={["completion", "refusal"]}
            value={run.refusal ? "refusal" : "completion"}
            onChange={(outcome) => onChange({ refusal: outcome === "refusal" })}
          />
        </Group>
      </Input.Wrapper>
    </div>
  );
}

/** What the version that runs declares; of a draft, what its newest version does. */
function useSchemas(agent: Agent | undefined): { toolsSchema: unknown; ledgerSchema: unknown } {
  const published = agent?.published_version ?? null;
  const isOlder = agent !== undefined && published !== null && published !== agent.version;
  const version = useQuery({ ...versionQuery(agent?.id ?? 0, published ?? 0), enabled: isOlder });
  const from = isOlder ? version.data : agent;
  return { toolsSchema: from?.tools_schema, ledgerSchema: from?.ledger_schema };
}

function liveTools(toolsSchema: unknown): string[] {
  if (!Array.isArray(toolsSchema)) return [];
  return toolsSchema.filter((tool) => modeOf(tool) === "passthrough").map((tool) => String(tool.name));
}

function unknownAgent(agentId: number | null, agent: Agent | undefined): string | null {
  return agentId !== null && agent === undefined ? `There is no agent ${agentId}.` : null;
}
