import { EndpointAdmins } from "~/pages/endpoints/endpoint-admins";
import { EndpointForm } from "~/pages/endpoints/form/endpoint-form";

export function NewEndpointPage() {
  return (
    <EndpointAdmins title="New endpoint">
      <EndpointForm saved={null} />
    </EndpointAdmins>
  );
}
