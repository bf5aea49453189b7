import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { scenarioQuery, scenarioVersionQuery } from "~/api/scenarios";
import { ErrorState, PageLoading } from "~/components/states";
import { draftOf } from "~/pages/scenarios/form/draft";
import { ScenarioForm } from "~/pages/scenarios/form/scenario-form";
import { MembersOnly } from "~/pages/scenarios/members-only";

const route = getRouteApi("/app/scenarios/$scenarioId/edit");

/** As it is now, or with the content of an earlier version to go back to. */
export function EditScenarioPage() {
  const { scenarioId } = route.useParams();
  const { version } = route.useSearch();
  const present = useQuery(scenarioQuery(scenarioId));
  const earlier = useQuery({
    ...scenarioVersionQuery(scenarioId, version ?? 1),
    enabled: version !== undefined,
  });
  const wanted = version === undefined ? present : earlier;
  if (present.data && wanted.data) {
    return (
      <MembersOnly title="Edit a scenario">
        <ScenarioForm
          key={`${scenarioId} ${version}`}
          saved={present.data}
          beginning={draftOf(wanted.data)}
        />
      </MembersOnly>
    );
  }
  const error = present.error ?? wanted.error;
  if (error === null) return <PageLoading />;
  return <ErrorState error={error} retry={() => void Promise.all([present.refetch(), wanted.refetch()])} />;
}
