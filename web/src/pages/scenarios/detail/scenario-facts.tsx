import { useQuery } from "@tanstack/react-query";
import { agentsQuery } from "~/api/queries";
import type { Scenario } from "~/api/scenarios";
import { worldsQuery } from "~/api/worlds";
import { Copy } from "~/components/copy";
import { useThresholds } from "~/components/evals/risk";
import { Fact, Facts } from "~/components/facts";
import { TextLink } from "~/components/page";
import { Ago } from "~/components/time";
import classes from "~/pages/scenarios/scenarios.module.css";
import { Tags } from "~/pages/scenarios/tags";

export function ScenarioFacts({ scenario }: { scenario: Scenario }) {
  const { id, version, tags, agent_id, world_id, risk_level, updated_at } = scenario;
  const threshold = useThresholds()?.[risk_level];
  return (
    <Facts label="About this scenario">
      {threshold !== undefined && <Fact label="Flagged above">a shift of {threshold}</Fact>}
      <Fact label="Agent">
        {agent_id === null ? (
          <span className={classes.dim}>chosen for each run</span>
        ) : (
          <Agent id={agent_id} />
        )}
      </Fact>
      <Fact label="World">
        {world_id === null ? <span className={classes.dim}>an empty one</span> : <World id={world_id} />}
      </Fact>
      {tags.length > 0 && (
        <Fact label="Tags">
          <Tags tags={tags} />
        </Fact>
      )}
      <Fact label="Version">{version}</Fact>
      <Fact label="Updated">
        <Ago at={updated_at} />
      </Fact>
      <Fact label="Id">
        <span className={classes.mono} title={id}>
          {id.slice(0, 12)}…
        </span>
        <Copy value={id} what="the id" />
      </Fact>
    </Facts>
  );
}

function Agent({ id }: { id: number }) {
  const { data: agents } = useQuery(agentsQuery);
  const agent = agents?.find((each) => each.id === id);
  if (!agent) return agents ? `agent ${id}, deleted` : `agent ${id}`;
  return (
    <TextLink to="/agents/$agentId" params={{ agentId: id }}>
      {agent.name}
    </TextLink>
  );
}

function World({ id }: { id: number }) {
  const { data: worlds } = useQuery(worldsQuery);
  const world = worlds?.find((each) => each.id === id);
  if (!world) return worlds ? `world ${id}, deleted` : `world ${id}`;
  return (
    <TextLink to="/worlds/$worldId" params={{ worldId: id }}>
      {world.name}
    </TextLink>
  );
}
