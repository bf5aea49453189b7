import { IconRobot } from "@tabler/icons-react";
import { useNavigate } from "@tanstack/react-router";
import type { Endpoint } from "~/api/endpoints";
import { type Column, DataTable } from "~/components/data-table";
import { Panel, TextLink } from "~/components/page";
import { Empty } from "~/components/states";
import classes from "~/pages/endpoints/endpoints.module.css";

type Use = Endpoint["used_by"][number];

const COLUMNS: Column<Use>[] = [
  {
    id: "agent",
    title: "Agent",
    width: "40%",
    render: ({ agent_id, agent_name }) => (
      <TextLink to="/agents/$agentId" params={{ agentId: agent_id }} className={classes.name ?? ""}>
        {agent_name}
      </TextLink>
    ),
  },
  {
    id: "tools",
    title: "Its tools that name this endpoint",
    render: ({ tools }) => <span className={classes.mono}>{tools.join(", ")}</span>,
  },
];

/** The agents whose newest or published version names the endpoint. */
export function UsedBy({ endpoint }: { endpoint: Endpoint }) {
  const navigate = useNavigate();
  return (
    <Panel flush>
      {endpoint.used_by.length === 0 ? (
        <Empty icon={<IconRobot size={28} stroke={1.5} />} title="No agent uses it">
          Open an agent under Edit, switch one of its tools to passthrough and choose this endpoint.
        </Empty>
      ) : (
        <DataTable
          label="Agents that use it"
          columns={COLUMNS}
          rows={endpoint.used_by}
          rowKey={({ agent_id }) => agent_id}
          onOpen={({ agent_id }) => void navigate({ to: "/agents/$agentId", params: { agentId: agent_id } })}
        />
      )}
    </Panel>
  );
}
