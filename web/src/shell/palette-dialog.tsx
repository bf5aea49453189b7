import "@mantine/spotlight/styles.css";

import {
  createSpotlight,
  Spotlight,
  type SpotlightActionData,
  type SpotlightActionGroupData,
} from "@mantine/spotlight";
import {
  IconChecklist,
  IconGavel,
  IconHelp,
  IconLogout,
  IconMoon,
  IconPlayerPlay,
  IconPlugConnected,
  IconPlus,
  IconRobot,
  IconSearch,
  IconSun,
  IconTable,
  IconWeight,
  IconWorld,
} from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { datasetsQuery } from "~/api/datasets";
import { endpointsQuery } from "~/api/endpoints";
import { agentsQuery, sessionQuery } from "~/api/queries";
import { scenariosQuery } from "~/api/scenarios";
import { worldsQuery } from "~/api/worlds";
import { counted } from "~/components/counted";
import { useDarkColors } from "~/shell/colors";
import { PLACES } from "~/shell/places";
import classes from "~/shell/shell.module.css";
import { openShortcutHelp } from "~/shell/shortcuts";
import { signOut } from "~/shell/sign-out";

const RUN_NUMBER = /^(?:run\s*)?#?(\d{1,15})$/i;
const MOST_SHOWN = 14;
/** The newest; there may be thousands, and their page searches all. */
const SCENARIOS_KNOWN = 200;

const [store, palette] = createSpotlight();

export default function PaletteDialog({ opening }: { opening: number }) {
  const navigate = useNavigate();
  const [query, setQuery] = useState("");
  const [dark, setDark] = useDarkColors();
  const { data: session } = useQuery(sessionQuery);
  const { data: agents = [] } = useQuery(agentsQuery);
  const { data: worlds = [] } = useQuery(worldsQuery);
  const { data: datasets = [] } = useQuery(datasetsQuery);
  const { data: endpoints = [] } = useQuery(endpointsQuery);
  const { data: scenarios } = useQuery(scenariosQuery({}, SCENARIOS_KNOWN));

  // biome-ignore lint/correctness/useExhaustiveDependencies: every request to open counts
  useEffect(palette.open, [opening]);

  // What came after it was typed for is chosen as what was there before, or Enter would do nothing.
  // biome-ignore lint/correctness/useExhaustiveDependencies: whatever has come
  useEffect(chooseFirst, [agents, worlds, datasets, endpoints, scenarios]);

  const places: SpotlightActionData[] = PLACES.map(({ to, label, icon: Icon }) => ({
    id: to,
    label,
    leftSection: <Icon size={16} />,
    onClick: () => void navigate({ to }),
  }));
  const deeds: (SpotlightActionData | false)[] = [
    session?.person.role !== "viewer" && {
      id: "new-run",
      label: "New run",
      leftSection: <IconPlus size={16} />,
      onClick: () => void navigate({ to: "/runs/new" }),
    },
    session?.person.role !== "viewer" && {
      id: "new-world",
      label: "New world",
      leftSection: <IconPlus size={16} />,
      onClick: () => void navigate({ to: "/worlds/new" }),
    },
    session?.person.role !== "viewer" && {
      id: "new-dataset",
      label: "New dataset",
      leftSection: <IconPlus size={16} />,
      onClick: () => void navigate({ to: "/datasets/new" }),
    },
    session?.person.role !== "viewer" && {
      id: "new-scenario",
      label: "New scenario",
      leftSection: <IconPlus size={16} />,
      onClick: () => void navigate({ to: "/scenarios/new" }),
    },
    session?.person.role !== "viewer" && {
      id: "new-matrix",
      label: "New matrix",
      leftSection: <IconPlus size={16} />,
      onClick: () => void navigate({ to: "/matrices/new" }),
    },
    session?.person.role === "admin" && {
      id: "new-agent",
      label: "Register an agent",
      leftSection: <IconPlus size={16} />,
      onClick: () => void navigate({ to: "/agents/new" }),
    },
    session?.person.role === "admin" && {
      id: "new-endpoint",
      label: "New endpoint",
      leftSection: <IconPlus size={16} />,
      onClick: () => void navigate({ to: "/endpoints/new" }),
    },
    {
      id: "failed-runs",
      label: "Show failed runs",
      leftSection: <IconPlayerPlay size={16} />,
      onClick: () => void navigate({ to: "/runs", search: { status: ["failed"] } }),
    },
    {
      id: "variations",
      label: "Show variations",
      leftSection: <IconWeight size={16} />,
      onClick: () => void navigate({ to: "/variations" }),
    },
    {
      id: "review-figures",
      label: "Show the precision of flags",
      leftSection: <IconGavel size={16} />,
      onClick: () => void navigate({ to: "/review/figures" }),
    },
    {
      id: "colors",
      label: dark ? "Use light colours" : "Use dark colours",
      leftSection: dark ? <IconSun size={16} /> : <IconMoon size={16} />,
      onClick: () => setDark(!dark),
    },
    {
      id: "shortcuts",
      label: "Keyboard shortcuts",
      leftSection: <IconHelp size={16} />,
      onClick: openShortcutHelp,
    },
    {
      id: "sign-out",
      label: "Sign out",
      leftSection: <IconLogout size={16} />,
      onClick: () => void signOut(),
    },
  ];
  const found: SpotlightActionData[] = agents.map((agent) => ({
    id: `agent-${agent.id}`,
    label: agent.name,
    description: `Agent ${agent.id}, version ${agent.version}, ${agent.status}`,
    leftSection: <IconRobot size={16} />,
    onClick: () => void navigate({ to: "/agents/$agentId", params: { agentId: agent.id } }),
  }));
  const foundEndpoints: SpotlightActionData[] = endpoints.map(({ id, name, tool_count }) => ({
    id: `endpoint-${id}`,
    label: name,
    description: `Endpoint, ${counted(tool_count, "tool")}`,
    leftSection: <IconPlugConnected size={16} />,
    onClick: () => void navigate({ to: "/endpoints/$endpointId", params: { endpointId: id } }),
  }));
  const foundWorlds: SpotlightActionData[] = worlds.map((world) => ({
    id: `world-${world.id}`,
    label: world.name,
    description: `World ${world.id}, ${Object.keys(world.entity_counts).join(", ") || "empty"}`,
    leftSection: <IconWorld size={16} />,
    onClick: () => void navigate({ to: "/worlds/$worldId", params: { worldId: world.id } }),
  }));
  const foundDatasets: SpotlightActionData[] = datasets.map((dataset) => ({
    id: `dataset-${dataset.id}`,
    label: dataset.name,
    description: `Dataset ${dataset.id}, ${counted(dataset.row_count, "row")}`,
    leftSection: <IconTable size={16} />,
    onClick: () => void navigate({ to: "/datasets/$datasetId", params: { datasetId: dataset.id } }),
  }));
  const foundScenarios: SpotlightActionData[] = (scenarios?.items ?? []).map(({ id, name, risk_level }) => ({
    id: `scenario-${id}`,
    label: name,
    description: `Scenario, risk ${risk_level}`,
    leftSection: <IconChecklist size={16} />,
    onClick: () => void navigate({ to: "/scenarios/$scenarioId", params: { scenarioId: id } }),
  }));
  const number = RUN_NUMBER.exec(query.trim())?.[1];
  const run: SpotlightActionData[] = number
    ? [
        {
          id: "run",
          label: `Run ${Number(number)}`,
          description: "Open its trace",
          keywords: query.trim(),
          leftSection: <IconPlayerPlay size={16} />,
          onClick: () => void navigate({ to: "/runs/$runId", params: { runId: Number(number) } }),
        },
      ]
    : [];
  const actions: SpotlightActionGroupData[] = [
    { group: "Open", actions: run },
    { group: "Go to", actions: places },
    { group: "Do", actions: deeds.filter((deed) => deed !== false) },
    { group: "Agents", actions: found },
    { group: "Endpoints", actions: foundEndpoints },
    { group: "Worlds", actions: foundWorlds },
    { group: "Datasets", actions: foundDatasets },
    { group: "Scenarios", actions: foundScenarios },
  ].filter((group) => group.actions.length > 0);

  return (
    <Spotlight
      store={store}
      actions={actions}
      query={query}
      onQueryChange={setQuery}
      attributes={{ content: { "aria-label": "Command palette" } }}
      shortcut={null}
      nothingFound="Nothing found. A number opens the run with that id."
      highlightQuery
      limit={MOST_SHOWN}
      scrollable
      overlayProps={{ blur: 0, backgroundOpacity: 0.4 }}
      maxHeight="min(60vh, 460px)"
      classNames={{ content: classes.palette ?? "", action: classes.paletteAction ?? "" }}
      searchProps={{
        leftSection: <IconSearch size={18} />,
        placeholder: "Page, agent, endpoint, world, dataset, scenario or run number",
        "aria-label": "Search pages, agents, endpoints, worlds, datasets, scenarios and runs",
      }}
    />
  );
}

/** The first of those found, if a search has found some and none is chosen. */
function chooseFirst(): void {
  const { listId, query } = store.getState();
  const list = document.getElementById(listId);
  const first = list?.querySelector("[data-action]");
  if (!first || query === "" || list?.querySelector("[data-selected]")) return;
  first.setAttribute("data-selected", "true");
  store.updateState((state) => ({ ...state, selected: 0 }));
}
