import { IconCheck } from "@tabler/icons-react";
import type { ReactNode } from "react";
import type { Agent, Session } from "~/api/queries";
import { CommandLine } from "~/components/command-line";
import { ButtonLink, Panel, TextLink } from "~/components/page";
import classes from "~/pages/home/first-steps.module.css";
import { WorldPicture } from "~/pages/home/world-picture";

interface FirstStepsProps {
  agents: Agent[];
  role: Session["person"]["role"];
}

/** What an installation without runs shows: the idea, and what to do next. */
export default function FirstSteps({ agents, role }: FirstStepsProps) {
  const ready = agents.find((agent) => agent.published_version !== null);
  const draft = agents.find((agent) => agent.published_version === null);
  return (
    <div className={classes.page}>
      <Panel>
        <div className={classes.idea}>
          <p className={classes.claim}>See what your agent does before your customers do.</p>
          <p>
            Odyssey sends your agent a task. Every tool it calls is answered by a simulated world, in
            milliseconds and without a model; where you ask for it, a call fails. You see each call, each
            answer and what changed in the world.
          </p>
          <WorldPicture />
        </div>
      </Panel>
      <div className={classes.columns}>
        <Panel title="What to do next" flush>
          <ol className={classes.steps}>
            <Step number={1} title="Register your agent" state={agents.length > 0 ? "done" : "now"}>
              <p>Its address and the tools it may call. Any language, any framework, one HTTP endpoint.</p>
              {agents.length > 0 ? (
                <TextLink to="/agents">
                  {agents.length === 1
                    ? `${agents[0]?.name} is registered`
                    : `${agents.length} agents are registered`}
                </TextLink>
              ) : role === "admin" ? (
                <ButtonLink to="/agents/new">Register an agent</ButtonLink>
              ) : (
                <NeedsRole wanted="admin" role={role} />
              )}
            </Step>
            <Step number={2} title="Start a run" state={agents.length > 0 ? "now" : "later"}>
              <p>One task, the world it finds, and the failures it meets.</p>
              {ready &&
                (role === "viewer" ? (
                  <NeedsRole wanted="member" role={role} />
                ) : (
                  <ButtonLink to="/runs/new" search={{ agent_id: ready.id }}>
                    Start a run
                  </ButtonLink>
                ))}
              {!ready && draft && (
                <p>
                  <TextLink to="/agents/$agentId" params={{ agentId: draft.id }} underline="always">
                    Publish {draft.name}
                  </TextLink>{" "}
                  first: a draft is not dispatched.
                </p>
              )}
            </Step>
            <Step number={3} title="Look at the trace" state="later">
              <p>
                Who answered each call, what the agent made of it, and what is different in the world
                afterwards.
              </p>
            </Step>
          </ol>
        </Panel>
        <Panel title="From a terminal">
          <Terminal isAdmin={role === "admin"} />
        </Panel>
      </div>
    </div>
  );
}

interface StepProps {
  number: number;
  title: string;
  state: "done" | "now" | "later";
  children: ReactNode;
}

function Step({ number, title, state, children }: StepProps) {
  return (
    <li className={classes.step} data-state={state} aria-current={state === "now" ? "step" : undefined}>
      <span className={classes.mark} aria-hidden>
        {state === "done" ? <IconCheck size={14} stroke={3} /> : number}
      </span>
      <div>
        <h3>
          {title}
          {state === "done" && <span className={classes.done}>done</span>}
        </h3>
        {children}
      </div>
    </li>
  );
}

function NeedsRole({ wanted, role }: { wanted: string; role: string }) {
  return (
    <p>
      This needs the role {wanted}; yours is {role}.
    </p>
  );
}

function Terminal({ isAdmin }: { isAdmin: boolean }) {
  return (
    <dl className={classes.terminal}>
      <dt>See it work first: an example agent, eight tasks, a platform of its own</dt>
      <dd>
        <CommandLine command="make demo" />
      </dd>
      <dt>
        Point the commands here
        {isAdmin && (
          <>
            , with a{" "}
            <TextLink to="/account" search={{ tab: "keys" }} size="xs" underline="always">
              key
            </TextLink>
          </>
        )}
      </dt>
      <dd>
        <CommandLine command={`export ODYSSEY_URL=${window.location.origin} ODYSSEY_API_KEY=pk_live_…`} />
      </dd>
      <dt>Runs, and one of them whole</dt>
      <dd>
        <CommandLine command="odyssey runs list" />
        <CommandLine command="odyssey runs show 1" />
      </dd>
    </dl>
  );
}
