import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { type World, worldQuery } from "~/api/worlds";
import { LeaveGuard } from "~/components/leave-guard";
import { Page, TextLink } from "~/components/page";
import { PageTabs } from "~/components/page-tabs";
import { ErrorState, PageLoading } from "~/components/states";
import { BehaviourTab } from "~/pages/worlds/behaviour/behaviour-tab";
import { EntitiesTab } from "~/pages/worlds/entities/entities-tab";
import { useEdits } from "~/pages/worlds/entities/use-edits";
import { FidelityTab } from "~/pages/worlds/fidelity/fidelity-tab";
import { ImportTab } from "~/pages/worlds/import/import-tab";
import { RawTab } from "~/pages/worlds/raw-tab";
import { RulesTab } from "~/pages/worlds/rules/rules-tab";
import { entitiesIn } from "~/pages/worlds/sizes";
import { TryTab } from "~/pages/worlds/try/try-tab";
import { WorldActions } from "~/pages/worlds/world-actions";
import { WorldFacts } from "~/pages/worlds/world-facts";

const route = getRouteApi("/app/worlds/$worldId");

export function WorldPage() {
  const { worldId } = route.useParams();
  const { data: world, error, refetch } = useQuery(worldQuery(worldId));
  if (world) return <Loaded key={worldId} world={world} />;
  return error ? <ErrorState error={error} retry={() => void refetch()} /> : <PageLoading />;
}

type Tab = NonNullable<ReturnType<typeof route.useSearch>["tab"]> | "entities";

function Loaded({ world }: { world: World }) {
  const { tab = "entities" } = route.useSearch();
  const navigate = route.useNavigate();
  const edits = useEdits(world);
  const [rulesTouched, setRulesTouched] = useState(false);
  const [behaviourTouched, setBehaviourTouched] = useState(false);
  const count = entitiesIn(world.entity_counts);

  function show(next: Tab) {
    void navigate({
      search: ({ tab: _, ...rest }) => (next === "entities" ? rest : { ...rest, tab: next }),
      resetScroll: false,
    });
  }

  const contents: [Tab, string, ReactNode][] = [
    [
      "entities",
      `Entities (${count.toLocaleString("en")})`,
      <EntitiesTab key="entities" world={world} edits={edits} />,
    ],
    ["try", "Try a tool", <TryTab key="try" world={world} unsaved={edits.list.length} />],
    [
      "behaviour",
      "Behaviour",
      <BehaviourTab key="behaviour" world={world} onTouched={setBehaviourTouched} />,
    ],
    ["rules", "Failure rules", <RulesTab key="rules" world={world} onTouched={setRulesTouched} />],
    ["import", "Import", <ImportTab key="import" world={world} />],
    ["fidelity", "Fidelity", <FidelityTab key="fidelity" world={world} />],
    ["raw", "Raw", <RawTab key="raw" world={world} />],
  ];
  const tabs = contents.map(([value, label, content]): [Tab, string, ReactNode] => [
    value,
    label,
    <OnceShown key={value} shown={tab === value}>
      {content}
    </OnceShown>,
  ]);
  return (
    <Page
      title={world.name}
      trail={[
        <TextLink key="worlds" to="/worlds">
          Worlds
        </TextLink>,
      ]}
      actions={<WorldActions world={world} />}
      curl={requests(world)}
    >
      <LeaveGuard unsaved={() => edits.list.length > 0 || rulesTouched || behaviourTouched} />
      <WorldFacts world={world} />
      <PageTabs tabs={tabs} value={tab} onChange={show} keepMounted />
    </Page>
  );
}

/** Made when its tab is opened first, kept from then on: what is half written in it stays. */
function OnceShown({ shown, children }: { shown: boolean; children: ReactNode }) {
  const [made, setMade] = useState(shown);
  if (shown && !made) setMade(true);
  return made || shown ? children : null;
}

function requests(world: World) {
  const base = `/api/worlds/${world.id}`;
  return [
    { what: "This world", path: base },
    { what: "Its entities, by type", path: `${base}/entities?type=order&limit=50` },
    {
      what: "Change an entity",
      method: "POST" as const,
      path: `${base}/operations`,
      body: {
        operations: [{ op: "update", entity_type: "order", id: "ord_1", fields: { status: "cancelled" } }],
        hash: world.hash,
      },
    },
    {
      what: "Try a tool; nothing is saved",
      method: "POST" as const,
      path: `${base}/try`,
      body: { agent_id: 1, tool: "get_order", arguments: { order_id: "ord_1" } },
    },
    {
      what: "Read lines of behaviour",
      method: "POST" as const,
      path: "/api/behaviors/read",
      body: {
        behavior_instructions: 'update_order only when order.status == "pending" else "Too late"',
        world_id: world.id,
        agent_id: 1,
      },
    },
  ];
}
