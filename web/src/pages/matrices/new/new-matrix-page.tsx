import { useQuery } from "@tanstack/react-query";
import { agentsQuery } from "~/api/queries";
import { variationsQuery } from "~/api/variations";
import { useMayChange } from "~/components/may-change";
import { Page, TextLink } from "~/components/page";
import { Empty, ErrorState, PageLoading } from "~/components/states";
import { NewMatrixForm } from "~/pages/matrices/new/new-matrix-form";

export function NewMatrixPage() {
  const mayChange = useMayChange();
  const agents = useQuery(agentsQuery);
  const variations = useQuery(variationsQuery);
  const failed = [agents, variations].find((query) => query.isError && query.data === undefined);
  return (
    <Page
      title="New matrix"
      trail={[
        <TextLink key="matrices" to="/matrices">
          Matrices
        </TextLink>,
      ]}
      curl={[
        { what: "Scenarios to choose from", path: "/api/v1/eval/scenarios?limit=200" },
        { what: "Variations to choose from", path: "/api/v1/eval/variations?limit=100" },
      ]}
    >
      {!mayChange ? (
        <Empty title="Viewers may read matrices but not start them">
          Ask an admin of your organisation to change your role.
        </Empty>
      ) : failed ? (
        <ErrorState error={failed.error} retry={() => void failed.refetch()} />
      ) : agents.data && variations.data ? (
        <NewMatrixForm agents={agents.data} variations={variations.data} />
      ) : (
        <PageLoading />
      )}
    </Page>
  );
}
