import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { endpointQuery } from "~/api/endpoints";
import { ErrorState, PageLoading } from "~/components/states";
import { EndpointAdmins } from "~/pages/endpoints/endpoint-admins";
import { EndpointForm } from "~/pages/endpoints/form/endpoint-form";

const route = getRouteApi("/app/endpoints/$endpointId/edit");

export function EditEndpointPage() {
  const { endpointId } = route.useParams();
  const { data: endpoint, error, refetch } = useQuery(endpointQuery(endpointId));
  if (endpoint) {
    return (
      <EndpointAdmins title="Edit an endpoint">
        <EndpointForm key={endpoint.id} saved={endpoint} />
      </EndpointAdmins>
    );
  }
  return error ? <ErrorState error={error} retry={() => void refetch()} /> : <PageLoading />;
}
