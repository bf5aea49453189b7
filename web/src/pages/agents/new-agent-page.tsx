import { AdminsOnly } from "~/pages/agents/admins-only";
import { AgentForm } from "~/pages/agents/form/agent-form";

export function NewAgentPage() {
  return (
    <AdminsOnly title="Register an agent">
      <AgentForm saved={null} />
    </AdminsOnly>
  );
}
