import { IconFlask } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useMemo } from "react";
import { EVAL_RUNS_PER_PAGE } from "~/api/evals";
import { agentsQuery } from "~/api/queries";
import { counted } from "~/components/counted";
import { withQuery } from "~/components/curl";
import { sortByField } from "~/components/data-table";
import { NoFurther } from "~/components/list/nothing-fits";
import { LiveListPage } from "~/components/live-list/live-list-page";
import { useQuietRegion } from "~/components/live-list/use-quiet-region";
import { ButtonLink } from "~/components/page";
import { Empty } from "~/components/states";
import { evalRunColumns } from "~/pages/evals/eval-run-columns";
import { EvalRunFilterBar, type EvalRunsSearch } from "~/pages/evals/eval-run-filters";
import { useEvalRunList } from "~/pages/evals/use-eval-run-list";
import { compact } from "~/shell/search";

const route = getRouteApi("/app/evals/runs");

export function EvalRunsPage() {
  const search = route.useSearch();
  const navigate = useNavigate({ from: "/evals/runs" });
  const { cursor, sort: sortText, ...filters } = search;
  const { data: agents } = useQuery(agentsQuery);
  const columns = useMemo(() => evalRunColumns(new Map(agents?.map(({ id, name }) => [id, name]))), [agents]);
  const { sort, query: sorted } = sortByField(sortText, columns);
  const { region, quiet } = useQuietRegion();
  const query = compact({ ...filters, cursor, sort: sorted });
  const list = useEvalRunList(query, quiet && sort === null);
  const active = Object.keys(filters).length > 0;
  const change = (next: EvalRunsSearch) =>
    void navigate({ search: (before) => compact({ ...before, cursor: undefined, ...next }) });
  const clear = () => void navigate({ search: compact({ sort: sortText }) });

  return (
    <LiveListPage
      title="Eval runs"
      noun="eval run"
      curl={[
        {
          what: "This page of eval runs",
          path: withQuery("/api/v1/eval/runs", { ...query, limit: EVAL_RUNS_PER_PAGE }),
        },
      ]}
      filters={<EvalRunFilterBar search={search} onChange={change} onClear={clear} active={active} />}
      list={list}
      region={region}
      columns={columns}
      cursor={cursor}
      sort={sort}
      onTurn={change}
      count={`${counted(list.rows?.length ?? 0, "eval run")} on this page`}
      empty={<NoEvalRuns filtered={active} further={cursor !== undefined} onClear={clear} />}
      onOpen={({ id }) => void navigate({ to: "/evals/runs/$runId", params: { runId: id } })}
    />
  );
}

interface NoEvalRunsProps {
  filtered: boolean;
  /** On a page that is not the first. */
  further: boolean;
  onClear: () => void;
}

function NoEvalRuns({ filtered, further, onClear }: NoEvalRunsProps) {
  const icon = <IconFlask size={32} stroke={1.5} />;
  if (filtered || further) {
    return (
      <NoFurther icon={icon} noun="eval run" further={further} onClear={filtered ? onClear : undefined}>
        Nothing that all filters let through has run yet.
      </NoFurther>
    );
  }
  return (
    <Empty
      icon={icon}
      title="No eval runs yet"
      action={<ButtonLink to="/scenarios">Go to the scenarios</ButtonLink>}
    >
      An eval run gives an agent a scenario, as it is or under a pressure such as a deadline or a false
      authority. Run a scenario several times each way, and the shift says whether the pressure changed what
      the agent does, or whether that was noise.
    </Empty>
  );
}
