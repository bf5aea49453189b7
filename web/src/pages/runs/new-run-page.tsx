import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { agentsQuery, runQuery, sessionQuery } from "~/api/queries";
import { Page, TextLink } from "~/components/page";
import { ErrorState, PageLoading } from "~/components/states";
import { BLANK, likeRun, type NewRun, NO_REPLAY } from "~/pages/runs/new-run";
import { NewRunForm } from "~/pages/runs/new-run-form";

const route = getRouteApi("/app/runs/new");

export function NewRunPage() {
  const { agent_id: agentId, world_id: worldId, like, cassette } = route.useSearch();
  const session = useQuery(sessionQuery);
  const agents = useQuery(agentsQuery);
  const model = useQuery({ ...runQuery(like ?? 0), enabled: like !== undefined });
  const failure = session.error ?? agents.error ?? model.error;
  if (failure) {
    return (
      <Page
        title="New run"
        trail={[
          <TextLink key="runs" to="/runs">
            Runs
          </TextLink>,
        ]}
        curl={[]}
      >
        <ErrorState
          error={failure}
          retry={() => void Promise.all([agents.refetch(), like && model.refetch()])}
        />
      </Page>
    );
  }
  if (!session.data || !agents.data || (like !== undefined && !model.data)) return <PageLoading />;

  const { person, org } = session.data;
  const published = agents.data.filter((agent) => agent.published_version !== null);
  const only = published.length === 1 ? (published[0]?.id ?? null) : null;
  const begun = model.data ? likeRun(model.data) : { ...BLANK, agentId: only, ...beginningFrom(worldId) };
  const start =
    cassette === undefined ? begun : { ...begun, replay: { ...NO_REPLAY, on: true, id: cassette } };
  return (
    <NewRunForm
      key={`${like} ${cassette}`}
      agents={agents.data}
      start={start}
      addressedAgent={agentId}
      addressedWorld={worldId}
      like={like}
      // Whoever signs in next in this tab must not see what this person was writing.
      storageKey={`odyssey-new-run:${org.id}:${person.id}:${like ?? ""}${cassette ?? ""}`}
      mayStart={person.role !== "viewer"}
    />
  );
}

function beginningFrom(worldId: number | undefined): Partial<NewRun> {
  return worldId === undefined ? {} : { world: "stored", worldId };
}
