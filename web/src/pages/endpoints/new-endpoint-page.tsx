import { AdminsOnly } from "~/components/admins-only";
import { EndpointForm } from "~/pages/endpoints/form/endpoint-form";

export function NewEndpointPage() {
  return (
    <AdminsOnly what="endpoints" title="New endpoint">
      <EndpointForm saved={null} />
    </AdminsOnly>
  );
}
