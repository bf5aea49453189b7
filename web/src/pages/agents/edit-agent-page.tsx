import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { agentQuery } from "~/api/queries";
import { ErrorState, PageLoading } from "~/components/states";
import { AdminsOnly } from "~/pages/agents/admins-only";
import { AgentForm } from "~/pages/agents/form/agent-form";

const route = getRouteApi("/app/agents/$agentId/edit");

export function EditAgentPage() {
  const { agentId } = route.useParams();
  const { data: agent, error, refetch } = useQuery(agentQuery(agentId));
  if (agent) {
    return (
      <AdminsOnly title="Edit an agent">
        <AgentForm key={agent.id} saved={agent} />
      </AdminsOnly>
    );
  }
  return error ? <ErrorState error={error} retry={() => void refetch()} /> : <PageLoading />;
}
