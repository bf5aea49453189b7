import { AdminsOnly } from "~/components/admins-only";
import { AgentForm } from "~/pages/agents/form/agent-form";

export function NewAgentPage() {
  return (
    <AdminsOnly what="agents" title="Register an agent">
      <AgentForm saved={null} />
    </AdminsOnly>
  );
}
