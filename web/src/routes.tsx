import type { QueryClient } from "@tanstack/react-query";
import {
  createRootRouteWithContext,
  createRoute,
  lazyRouteComponent,
  notFound,
  Outlet,
  redirect,
} from "@tanstack/react-router";
import { asProblem } from "~/api/problem";
import { sessionQuery } from "~/api/queries";
import { cellSearch } from "~/components/comparison/cell-search";
import { RISK_LEVELS } from "~/components/evals/names";
import { NotFoundPage } from "~/pages/not-found";
import { compact, oneOf, scenarioId, someOf, tag, text, uuid, whole, word, yesNo } from "~/shell/search";
import { Shell } from "~/shell/shell";

export const RUN_STATUSES = ["pending", "running", "completed", "failed", "cancelled"] as const;
export const VERDICTS = ["PASS", "FAIL", "PENDING", "NOT APPLICABLE"] as const;
export const MATRIX_STATUSES = ["running", "completed", "cancelled"] as const;
export const REVIEW_VERDICTS = [
  "true_positive",
  "false_positive",
  "true_negative",
  "false_negative",
  "defect_found",
] as const;
export const REVIEW_SOURCES = ["flag", "incident", "sample", "manual"] as const;

const root = createRootRouteWithContext<{ queryClient: QueryClient }>()({
  component: Outlet,
  notFoundComponent: NotFoundPage,
});

const signin = createRoute({
  getParentRoute: () => root,
  path: "/signin",
  validateSearch: (search: Record<string, unknown>) => compact({ next: text(search.next) }),
  component: lazyRouteComponent(() => import("~/pages/signin/signin-page"), "SigninPage"),
});

const app = createRoute({
  getParentRoute: () => root,
  id: "app",
  component: Shell,
  beforeLoad: async ({ context, location }) => {
    try {
      await context.queryClient.ensureQueryData(sessionQuery);
    } catch (error) {
      if (asProblem(error).status !== 401) throw error;
      const next = location.href === "/" ? undefined : location.href;
      throw redirect({ to: "/signin", search: compact({ next }) });
    }
  },
});

const home = createRoute({
  getParentRoute: () => app,
  path: "/",
  component: lazyRouteComponent(() => import("~/pages/home/home-page"), "HomePage"),
});

const account = createRoute({
  getParentRoute: () => app,
  path: "/account",
  validateSearch: (search: Record<string, unknown>) =>
    compact({ tab: oneOf(search.tab, ["keys", "people", "audit"]), cursor: text(search.cursor) }),
  component: lazyRouteComponent(() => import("~/pages/account/account-page"), "AccountPage"),
});

const settings = createRoute({
  getParentRoute: () => app,
  path: "/settings",
  component: lazyRouteComponent(() => import("~/pages/settings/settings-page"), "SettingsPage"),
});

const agents = createRoute({
  getParentRoute: () => app,
  path: "/agents",
  validateSearch: (search: Record<string, unknown>) =>
    compact({
      q: text(search.q),
      status: oneOf(search.status, ["draft", "published"]),
      sort: text(search.sort),
    }),
  component: lazyRouteComponent(() => import("~/pages/agents/agents-page"), "AgentsPage"),
});

const newAgent = createRoute({
  getParentRoute: () => app,
  path: "/agents/new",
  component: lazyRouteComponent(() => import("~/pages/agents/new-agent-page"), "NewAgentPage"),
});

const agentId = {
  parse: ({ agentId }: { agentId: string }) => ({ agentId: idOf(agentId) }),
  stringify: ({ agentId }: { agentId: number }) => ({ agentId: String(agentId) }),
};

const agent = createRoute({
  getParentRoute: () => app,
  path: "/agents/$agentId",
  params: agentId,
  validateSearch: (search: Record<string, unknown>) =>
    compact({
      tab: oneOf(search.tab, ["tools", "ledger", "versions", "settings", "raw"]),
      tool: text(search.tool),
      q: text(search.q),
      from: whole(search.from),
      to: whole(search.to),
    }),
  component: lazyRouteComponent(() => import("~/pages/agents/agent-page"), "AgentPage"),
});

const editAgent = createRoute({
  getParentRoute: () => app,
  path: "/agents/$agentId/edit",
  params: agentId,
  component: lazyRouteComponent(() => import("~/pages/agents/edit-agent-page"), "EditAgentPage"),
});

const endpoints = createRoute({
  getParentRoute: () => app,
  path: "/endpoints",
  validateSearch: (search: Record<string, unknown>) =>
    compact({ q: text(search.q), sort: text(search.sort) }),
  component: lazyRouteComponent(() => import("~/pages/endpoints/list/endpoints-page"), "EndpointsPage"),
});

const newEndpoint = createRoute({
  getParentRoute: () => app,
  path: "/endpoints/new",
  component: lazyRouteComponent(() => import("~/pages/endpoints/new-endpoint-page"), "NewEndpointPage"),
});

const endpointId = {
  parse: ({ endpointId }: { endpointId: string }) => ({ endpointId: uuidOf(endpointId) }),
};

const endpoint = createRoute({
  getParentRoute: () => app,
  path: "/endpoints/$endpointId",
  params: endpointId,
  validateSearch: (search: Record<string, unknown>) =>
    compact({
      tab: oneOf(search.tab, ["used", "raw"]),
      tool: text(search.tool),
      q: text(search.q),
    }),
  component: lazyRouteComponent(() => import("~/pages/endpoints/one/endpoint-page"), "EndpointPage"),
});

const editEndpoint = createRoute({
  getParentRoute: () => app,
  path: "/endpoints/$endpointId/edit",
  params: endpointId,
  component: lazyRouteComponent(() => import("~/pages/endpoints/edit-endpoint-page"), "EditEndpointPage"),
});

const cassettes = createRoute({
  getParentRoute: () => app,
  path: "/cassettes",
  validateSearch: (search: Record<string, unknown>) =>
    compact({ q: text(search.q), sort: text(search.sort) }),
  component: lazyRouteComponent(() => import("~/pages/cassettes/cassettes-page"), "CassettesPage"),
});

const cassette = createRoute({
  getParentRoute: () => app,
  path: "/cassettes/$cassetteId",
  params: {
    parse: ({ cassetteId }: { cassetteId: string }) => ({ cassetteId: uuidOf(cassetteId) }),
  },
  validateSearch: (search: Record<string, unknown>) =>
    compact({ tab: oneOf(search.tab, ["compare"]), call: whole(search.call) }),
  component: lazyRouteComponent(() => import("~/pages/cassettes/cassette-page"), "CassettePage"),
});

const runs = createRoute({
  getParentRoute: () => app,
  path: "/runs",
  validateSearch: (search: Record<string, unknown>) =>
    compact({
      q: text(search.q),
      status: someOf(search.status, RUN_STATUSES),
      verdict: oneOf(search.verdict, VERDICTS),
      agent_id: whole(search.agent_id),
      agent_version: whole(search.agent_version),
      task_id: whole(search.task_id),
      batch_id: whole(search.batch_id),
      dataset_id: whole(search.dataset_id),
      error_class: word(search.error_class),
      cursor: text(search.cursor),
      sort: text(search.sort),
    }),
  component: lazyRouteComponent(() => import("~/pages/runs/runs-page"), "RunsPage"),
});

const worlds = createRoute({
  getParentRoute: () => app,
  path: "/worlds",
  validateSearch: (search: Record<string, unknown>) =>
    compact({ q: text(search.q), sort: text(search.sort) }),
  component: lazyRouteComponent(() => import("~/pages/worlds/worlds-page"), "WorldsPage"),
});

const newWorld = createRoute({
  getParentRoute: () => app,
  path: "/worlds/new",
  validateSearch: (search: Record<string, unknown>) =>
    compact({
      run: whole(search.run),
      at: whole(search.at),
      attempt: whole(search.attempt),
      copy: whole(search.copy),
    }),
  component: lazyRouteComponent(() => import("~/pages/worlds/new-world-page"), "NewWorldPage"),
});

const world = createRoute({
  getParentRoute: () => app,
  path: "/worlds/$worldId",
  params: {
    parse: ({ worldId }: { worldId: string }) => ({ worldId: idOf(worldId) }),
    stringify: ({ worldId }: { worldId: number }) => ({ worldId: String(worldId) }),
  },
  validateSearch: (search: Record<string, unknown>) =>
    compact({
      tab: oneOf(search.tab, ["try", "behaviour", "rules", "import", "fidelity", "raw"]),
      type: text(search.type),
      q: text(search.q),
      cursor: text(search.cursor),
      entity: text(search.entity),
      agent: whole(search.agent),
      tool: text(search.tool),
      args: text(search.args),
    }),
  component: lazyRouteComponent(() => import("~/pages/worlds/world-page"), "WorldPage"),
});

const datasets = createRoute({
  getParentRoute: () => app,
  path: "/datasets",
  validateSearch: (search: Record<string, unknown>) =>
    compact({ q: text(search.q), sort: text(search.sort) }),
  component: lazyRouteComponent(() => import("~/pages/datasets/datasets-page"), "DatasetsPage"),
});

const newDataset = createRoute({
  getParentRoute: () => app,
  path: "/datasets/new",
  validateSearch: (search: Record<string, unknown>) => compact({ by: oneOf(search.by, ["rows"]) }),
  component: lazyRouteComponent(() => import("~/pages/datasets/new-dataset-page"), "NewDatasetPage"),
});

const dataset = createRoute({
  getParentRoute: () => app,
  path: "/datasets/$datasetId",
  params: {
    parse: ({ datasetId }: { datasetId: string }) => ({ datasetId: idOf(datasetId) }),
    stringify: ({ datasetId }: { datasetId: number }) => ({ datasetId: String(datasetId) }),
  },
  validateSearch: (search: Record<string, unknown>) =>
    compact({
      tab: oneOf(search.tab, ["upload", "audit", "batches"]),
      row: whole(search.row),
      column: word(search.column),
      cursor: text(search.cursor),
      agent_id: whole(search.agent_id),
    }),
  component: lazyRouteComponent(() => import("~/pages/datasets/dataset-page"), "DatasetPage"),
});

const batches = createRoute({
  getParentRoute: () => app,
  path: "/batches",
  validateSearch: (search: Record<string, unknown>) =>
    compact({
      agent_id: whole(search.agent_id),
      dataset_id: whole(search.dataset_id),
      cursor: text(search.cursor),
    }),
  component: lazyRouteComponent(() => import("~/pages/batches/batches-page"), "BatchesPage"),
});

const batchId = {
  parse: ({ batchId }: { batchId: string }) => ({ batchId: idOf(batchId) }),
  stringify: ({ batchId }: { batchId: number }) => ({ batchId: String(batchId) }),
};

const batch = createRoute({
  getParentRoute: () => app,
  path: "/batches/$batchId",
  params: batchId,
  validateSearch: (search: Record<string, unknown>) =>
    compact({
      show: oneOf(search.show, ["failing"]),
      mode: word(search.mode),
      cursor: text(search.cursor),
    }),
  component: lazyRouteComponent(() => import("~/pages/batches/batch-page"), "BatchPage"),
});

const comparison = createRoute({
  getParentRoute: () => app,
  path: "/batches/$batchId/compare",
  params: batchId,
  validateSearch: (search: Record<string, unknown>) =>
    compact({ with: whole(search.with), cursor: text(search.cursor) }),
  component: lazyRouteComponent(() => import("~/pages/batches/compare-page"), "ComparePage"),
});

const newRun = createRoute({
  getParentRoute: () => app,
  path: "/runs/new",
  validateSearch: (search: Record<string, unknown>) =>
    compact({
      agent_id: whole(search.agent_id),
      world_id: whole(search.world_id),
      like: whole(search.like),
      cassette: uuid(search.cassette),
    }),
  component: lazyRouteComponent(() => import("~/pages/runs/new-run-page"), "NewRunPage"),
});

const runId = {
  parse: ({ runId }: { runId: string }) => ({ runId: idOf(runId) }),
  stringify: ({ runId }: { runId: number }) => ({ runId: String(runId) }),
};

const run = createRoute({
  getParentRoute: () => app,
  path: "/runs/$runId",
  params: runId,
  validateSearch: (search: Record<string, unknown>) =>
    compact({
      tab: oneOf(search.tab, ["timeline", "transcript", "seed", "raw"]),
      step: whole(search.step),
      pane: oneOf(search.pane, ["ledger", "raw"]),
      since: oneOf(search.since, ["start"]),
      zoom: oneOf(search.zoom, ["sight"]),
      attempt: whole(search.attempt),
      source: someOf(search.source, ["odyssey", "injected", "passthrough", "error", "transport_error"]),
      actor: text(search.actor),
      q: text(search.q),
    }),
  component: lazyRouteComponent(() => import("~/pages/run/run-page"), "RunPage"),
});

const scenarios = createRoute({
  getParentRoute: () => app,
  path: "/scenarios",
  validateSearch: (search: Record<string, unknown>) =>
    compact({
      q: text(search.q),
      tag: tag(search.tag),
      risk_level: oneOf(search.risk_level, RISK_LEVELS),
      cursor: text(search.cursor),
      sort: text(search.sort),
    }),
  component: lazyRouteComponent(() => import("~/pages/scenarios/scenarios-page"), "ScenariosPage"),
});

const newScenario = createRoute({
  getParentRoute: () => app,
  path: "/scenarios/new",
  validateSearch: (search: Record<string, unknown>) => compact({ copy: scenarioId(search.copy) }),
  component: lazyRouteComponent(() => import("~/pages/scenarios/new-scenario-page"), "NewScenarioPage"),
});

const scenarioParams = {
  parse: ({ scenarioId: written }: { scenarioId: string }) => {
    const id = scenarioId(written);
    if (id === undefined) throw notFound();
    return { scenarioId: id };
  },
};

const scenario = createRoute({
  getParentRoute: () => app,
  path: "/scenarios/$scenarioId",
  params: scenarioParams,
  validateSearch: (search: Record<string, unknown>) =>
    compact({
      tab: oneOf(search.tab, ["compare", "runs", "versions"]),
      from: whole(search.from),
      to: whole(search.to),
      ...cellSearch(search),
    }),
  component: lazyRouteComponent(() => import("~/pages/scenarios/scenario-page"), "ScenarioPage"),
});

const editScenario = createRoute({
  getParentRoute: () => app,
  path: "/scenarios/$scenarioId/edit",
  params: scenarioParams,
  validateSearch: (search: Record<string, unknown>) => compact({ version: whole(search.version) }),
  component: lazyRouteComponent(() => import("~/pages/scenarios/edit-scenario-page"), "EditScenarioPage"),
});

const variations = createRoute({
  getParentRoute: () => app,
  path: "/variations",
  validateSearch: (search: Record<string, unknown>) => compact({ show: word(search.show) }),
  component: lazyRouteComponent(() => import("~/pages/variations/variations-page"), "VariationsPage"),
});

const evalRuns = createRoute({
  getParentRoute: () => app,
  path: "/evals/runs",
  validateSearch: (search: Record<string, unknown>) =>
    compact({
      matrix_id: uuid(search.matrix_id),
      scenario_id: scenarioId(search.scenario_id),
      agent_id: whole(search.agent_id),
      variation_type: word(search.variation_type),
      risk_level: oneOf(search.risk_level, RISK_LEVELS),
      flagged: yesNo(search.flagged),
      status: someOf(search.status, RUN_STATUSES),
      cursor: text(search.cursor),
      sort: text(search.sort),
    }),
  component: lazyRouteComponent(() => import("~/pages/evals/eval-runs-page"), "EvalRunsPage"),
});

const evalRun = createRoute({
  getParentRoute: () => app,
  path: "/evals/runs/$runId",
  params: runId,
  component: lazyRouteComponent(() => import("~/pages/evals/eval-run-page"), "EvalRunPage"),
});

const evalCompare = createRoute({
  getParentRoute: () => app,
  path: "/evals/compare",
  validateSearch: (search: Record<string, unknown>) =>
    compact({ scenario_id: scenarioId(search.scenario_id), ...cellSearch(search) }),
  component: lazyRouteComponent(() => import("~/pages/evals/compare-page"), "ComparePage"),
});

const matrices = createRoute({
  getParentRoute: () => app,
  path: "/matrices",
  validateSearch: (search: Record<string, unknown>) =>
    compact({
      agent_id: whole(search.agent_id),
      status: oneOf(search.status, MATRIX_STATUSES),
      cursor: text(search.cursor),
    }),
  component: lazyRouteComponent(() => import("~/pages/matrices/list/matrices-page"), "MatricesPage"),
});

const newMatrix = createRoute({
  getParentRoute: () => app,
  path: "/matrices/new",
  component: lazyRouteComponent(() => import("~/pages/matrices/new/new-matrix-page"), "NewMatrixPage"),
});

const matricesCompared = createRoute({
  getParentRoute: () => app,
  path: "/matrices/compare",
  validateSearch: (search: Record<string, unknown>) =>
    compact({
      before: uuid(search.before),
      after: uuid(search.after),
      show: oneOf(search.show, ["all"]),
    }),
  component: lazyRouteComponent(() => import("~/pages/matrices/compare/compare-page"), "ComparePage"),
});

const matrix = createRoute({
  getParentRoute: () => app,
  path: "/matrices/$matrixId",
  params: {
    parse: ({ matrixId }: { matrixId: string }) => ({ matrixId: uuidOf(matrixId) }),
  },
  validateSearch: (search: Record<string, unknown>) =>
    compact({
      cell: text(search.cell),
      order: oneOf(search.order, ["risk", "worst"]),
      baseline: whole(search.baseline),
      variation: whole(search.variation),
    }),
  component: lazyRouteComponent(() => import("~/pages/matrices/one/matrix-page"), "MatrixPage"),
});

const review = createRoute({
  getParentRoute: () => app,
  path: "/review",
  validateSearch: (search: Record<string, unknown>) =>
    compact({
      status: oneOf(search.status, ["decided", "superseded"]),
      source: oneOf(search.source, REVIEW_SOURCES),
      risk_level: oneOf(search.risk_level, RISK_LEVELS),
      variation_type: word(search.variation_type),
      verdict: oneOf(search.verdict, REVIEW_VERDICTS),
      matrix_id: uuid(search.matrix_id),
      agent_id: whole(search.agent_id),
      confirmed: yesNo(search.confirmed),
      item: uuid(search.item),
    }),
  component: lazyRouteComponent(() => import("~/pages/reviews/review-page"), "ReviewPage"),
});

const reviewFigures = createRoute({
  getParentRoute: () => app,
  path: "/review/figures",
  component: lazyRouteComponent(() => import("~/pages/reviews/figures/figures-page"), "FiguresPage"),
});

export const routes = root.addChildren([
  signin,
  app.addChildren([
    home,
    account,
    settings,
    agents,
    newAgent,
    agent,
    editAgent,
    endpoints,
    newEndpoint,
    endpoint,
    editEndpoint,
    cassettes,
    cassette,
    runs,
    newRun,
    run,
    worlds,
    newWorld,
    world,
    datasets,
    newDataset,
    dataset,
    batches,
    batch,
    comparison,
    scenarios,
    newScenario,
    scenario,
    editScenario,
    variations,
    evalRuns,
    evalRun,
    evalCompare,
    review,
    reviewFigures,
    matrices,
    newMatrix,
    matricesCompared,
    matrix,
  ]),
]);

function idOf(written: string): number {
  const id = whole(written);
  if (id === undefined) throw notFound();
  return id;
}

function uuidOf(written: string): string {
  const id = uuid(written);
  if (id === undefined) throw notFound();
  return id;
}
