import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { agentQuery } from "~/api/queries";
import { AdminsOnly } from "~/components/admins-only";
import { ErrorState, PageLoading } from "~/components/states";
import { AgentForm } from "~/pages/agents/form/agent-form";

const route = getRouteApi("/app/agents/$agentId/edit");

export function EditAgentPage() {
  const { agentId } = route.useParams();
  const { data: agent, error, refetch } = useQuery(agentQuery(agentId));
  if (agent) {
    return (
      <AdminsOnly what="agents" title="Edit an agent">
        <AgentForm key={agent.id} saved={agent} />
      </AdminsOnly>
    );
  }
  return error ? <ErrorState error={error} retry={() => void refetch()} /> : <PageLoading />;
}
