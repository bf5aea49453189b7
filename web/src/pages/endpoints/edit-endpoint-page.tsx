import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { endpointQuery } from "~/api/endpoints";
import { AdminsOnly } from "~/components/admins-only";
import { ErrorState, PageLoading } from "~/components/states";
import { EndpointForm } from "~/pages/endpoints/form/endpoint-form";

const route = getRouteApi("/app/endpoints/$endpointId/edit");

export function EditEndpointPage() {
  const { endpointId } = route.useParams();
  const { data: endpoint, error, refetch } = useQuery(endpointQuery(endpointId));
  if (endpoint) {
    return (
      <AdminsOnly what="endpoints" title="Edit an endpoint">
        <EndpointForm key={endpoint.id} saved={endpoint} />
      </AdminsOnly>
    );
  }
  return error ? <ErrorState error={error} retry={() => void refetch()} /> : <PageLoading />;
}
