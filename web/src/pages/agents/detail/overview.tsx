import { Spoiler } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type Agent, consistencyQuery } from "~/api/queries";
import { ToneBadge } from "~/components/badges";
import { Copy } from "~/components/copy";
import { counted } from "~/components/counted";
import { modeOf } from "~/components/mode-badge";
import { Panel, TextLink } from "~/components/page";
import classes from "~/pages/agents/agents.module.css";
import { readSettings } from "~/pages/agents/detail/settings";
import { Health } from "~/pages/agents/health";

const DESCRIPTION_HEIGHT = 104;
const MOST_NAMED = 6;

/** How the agent is reached and what is asked of it, in a few lines. */
export function Overview({ agent }: { agent: Agent }) {
  const settings = readSettings(agent);
  return (
    <Panel title="Overview">
      {agent.description && (
        <Spoiler maxHeight={DESCRIPTION_HEIGHT} showLabel="Show all" hideLabel="Show less" mb="sm">
          <p className={classes.description}>{agent.description}</p>
        </Spoiler>
      )}
      <dl className={classes.facts}>
        {settings.endpointUrl !== null && (
          <>
            <dt>Address</dt>
            <dd className={classes.address}>
              <span className={classes.mono}>{settings.endpointUrl}</span>
              <Copy value={settings.endpointUrl} what="the address" />
            </dd>
            <dt>Auth header</dt>
            <dd>
              <AuthHeader name={settings.authHeaderName} isSet={agent.auth_header_set} />
            </dd>
          </>
        )}
        {settings.endpointUrl === null && (
          <>
            <dt>Mode</dt>
            <dd>{agent.mode}</dd>
          </>
        )}
        <dt>Last ping</dt>
        <dd>
          <Health agent={agent} />
          {agent.health && !agent.health.ok && <div>{agent.health.detail}</div>}
        </dd>
        <dt>Time-out</dt>
        <dd>{settings.timeoutS} s per run</dd>
        <dt>Transcript</dt>
        <dd>{settings.guarded ? "a gradeable rich transcript is required" : "optional"}</dd>
        <dt>Engine</dt>
        <dd>
          {settings.engine}
          {Object.keys(settings.programs).length > 0 &&
            `, ${counted(Object.keys(settings.programs).length, "program")}`}
        </dd>
        <dt>Consistency</dt>
        <dd>
          {settings.consistencyMode}
          <Violations agent={agent} />
        </dd>
        {agent.tools_schema.length > 0 && (
          <>
            <dt>Tools</dt>
            <dd>
              <ModeCounts agent={agent} />
            </dd>
          </>
        )}
        <dt>Sub-agents</dt>
        <dd>
          {settings.subAgents.length === 0 ? (
            "none declared"
          ) : (
            <TextLink
              to="/agents/$agentId"
              params={{ agentId: agent.id }}
              search={{ tab: "settings" }}
              resetScroll={false}
            >
              {settings.subAgents.map((row) => row.actorId).join(", ")}
            </TextLink>
          )}
        </dd>
      </dl>
    </Panel>
  );
}

/** How often simulated answers contradicted the world, over the runs of all its versions. */
function Violations({ agent }: { agent: Agent }) {
  const { data } = useQuery(consistencyQuery(agent.id));
  if (!data || data.per_1000 === null) return null;
  return (
    <>
      {", "}
      <ToneBadge tone={data.violations === 0 ? "green" : "amber"}>
        {data.per_1000.toLocaleString("en", { maximumFractionDigits: 1 })} violations per 1,000 calls
      </ToneBadge>{" "}
      of {counted(data.tool_calls, "call")} in {counted(data.runs, "run")}
    </>
  );
}

/** How many tools the world answers, and which ones are live. */
function ModeCounts({ agent }: { agent: Agent }) {
  const live = agent.tools_schema.filter((tool) => modeOf(tool) === "passthrough");
  const simulated = agent.tools_schema.length - live.length;
  return (
    <>
      {simulated > 0 && <ToneBadge tone="odyssey">{simulated} sandbox</ToneBadge>}{" "}
      {live.length > 0 && <ToneBadge tone="passthrough">{live.length} passthrough</ToneBadge>}{" "}
      {live.length > 0 && live.length <= MOST_NAMED && (
        <span className={classes.mono}>{live.map((tool) => String(tool.name)).join(", ")}</span>
      )}
    </>
  );
}

function AuthHeader({ name, isSet }: { name: string | null; isSet: boolean }) {
  if (isSet && name !== null) {
    return (
      <>
        <span className={classes.mono}>{name}</span> <ToneBadge tone="green">set</ToneBadge>
      </>
    );
  }
  if (name !== null) {
    return (
      <>
        <span className={classes.mono}>{name}</span>{" "}
        <ToneBadge tone="amber" help="Without a value no auth header is sent">
          no value
        </ToneBadge>
      </>
    );
  }
  return isSet ? (
    <ToneBadge tone="amber" help="A value is saved, but without a name no auth header is sent">
      no name
    </ToneBadge>
  ) : (
    "none"
  );
}
