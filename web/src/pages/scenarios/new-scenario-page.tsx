import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { scenarioQuery } from "~/api/scenarios";
import { ErrorState, PageLoading } from "~/components/states";
import { BLANK, draftOf } from "~/pages/scenarios/form/draft";
import { ScenarioForm } from "~/pages/scenarios/form/scenario-form";
import { MembersOnly } from "~/pages/scenarios/members-only";

const route = getRouteApi("/app/scenarios/new");

/** Written by hand, or copied from another. */
export function NewScenarioPage() {
  const { copy } = route.useSearch();
  const origin = useQuery({ ...scenarioQuery(copy ?? ""), enabled: copy !== undefined });
  if (copy !== undefined && origin.data === undefined) {
    if (origin.error) return <ErrorState error={origin.error} retry={() => void origin.refetch()} />;
    return <PageLoading />;
  }
  const beginning = origin.data ? draftOf(origin.data) : BLANK;
  return (
    <MembersOnly title="New scenario">
      <ScenarioForm
        key={copy}
        saved={null}
        beginning={origin.data ? { ...beginning, name: `${beginning.name} (copy)` } : beginning}
      />
    </MembersOnly>
  );
}
