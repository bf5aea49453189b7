import { Button, Group, Select, Text } from "@mantine/core";
import { IconArrowsExchange } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import {
  type MatricesCompared,
  type MatrixSummary,
  matricesComparedQuery,
  matricesQuery,
} from "~/api/matrices";
import { BandsBar } from "~/components/matrices/bands-bar";
import { FoundBadges } from "~/components/matrices/found-badges";
import { Page, Panel, TextLink } from "~/components/page";
import { Empty, ErrorState, PageLoading } from "~/components/states";
import { ChangesTable } from "~/pages/matrices/compare/changes-table";
import { CompareMap } from "~/pages/matrices/compare/compare-map";
import { useFailing } from "~/pages/matrices/compare/use-failing";
import classes from "~/pages/matrices/matrices.module.css";
import { nameOf } from "~/pages/matrices/matrix-name";
import { compact } from "~/shell/search";

const route = getRouteApi("/app/matrices/compare");
const MOST_OFFERED = 200;

/** Two matrices: what the newer shows that the older did not, regressions first. */
export function ComparePage() {
  const { before, after } = route.useSearch();
  const both = before !== undefined && after !== undefined;
  const { data, error, refetch } = useQuery({
    ...matricesComparedQuery(before ?? "", after ?? ""),
    enabled: both,
  });
  if (error && !data) return <ErrorState error={error} retry={() => void refetch()} />;
  return (
    <Page
      title="Two matrices compared"
      trail={[
        <TextLink key="matrices" to="/matrices">
          Matrices
        </TextLink>,
      ]}
      curl={[
        ...(both
          ? [{ what: "This comparison", path: `/api/v1/eval/matrix/${before}/compare?with=${after}` }]
          : []),
        { what: "Matrices to compare", path: `/api/v1/eval/matrix?limit=${MOST_OFFERED}` },
      ]}
    >
      <Choice compared={data} />
      {!both ? (
        <Empty title="Compare what?">Choose two matrices, best of the same scenarios and pressures.</Empty>
      ) : data === undefined ? (
        <PageLoading />
      ) : (
        <Compared compared={data} />
      )}
    </Page>
  );
}

function Choice({ compared }: { compared: MatricesCompared | undefined }) {
  const { before, after } = route.useSearch();
  const navigate = route.useNavigate();
  const { data } = useQuery(matricesQuery({}, MOST_OFFERED));
  const listed = new Map<string, MatrixSummary>(
    [...(data?.items ?? []), ...(compared ? [compared.before, compared.after] : [])].map((each) => [
      each.id,
      each,
    ]),
  );
  const options = [...listed.values()].map((each) => ({ value: each.id, label: labelOf(each) }));
  const go = (next: { before?: string | undefined; after?: string | undefined }) =>
    void navigate({ search: (search) => compact({ ...search, ...next }), resetScroll: false });
  return (
    <Panel>
      <Group gap="sm" align="flex-end">
        <Select
          size="xs"
          label="Before"
          placeholder="Choose a matrix"
          data={options.filter(({ value }) => value !== after)}
          value={before ?? null}
          onChange={(id) => id !== null && go({ before: id })}
          allowDeselect={false}
          searchable
          w={{ base: "100%", xs: 360 }}
        />
        <Button
          variant="default"
          size="xs"
          leftSection={<IconArrowsExchange size={14} />}
          disabled={before === undefined || after === undefined}
          onClick={() => go({ before: after, after: before })}
        >
          Swap
        </Button>
        <Select
          size="xs"
          label="After"
          placeholder="Choose a matrix"
          data={options.filter(({ value }) => value !== before)}
          value={after ?? null}
          onChange={(id) => id !== null && go({ after: id })}
          allowDeselect={false}
          searchable
          w={{ base: "100%", xs: 360 }}
        />
      </Group>
    </Panel>
  );
}

const moment = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "short" });

/** Matrices of one agent are told apart by their version and their time. */
function labelOf(matrix: MatrixSummary): string {
  const version = matrix.name === "" ? "" : `, v${matrix.agent_version}`;
  return `${nameOf(matrix)}${version}, ${moment.format(Date.parse(matrix.created_at))}`;
}

const CHANGES = [
  ["regressed", "regressed"],
  ["improved", "improved"],
  ["same", "the same"],
  ["not_comparable", "not comparable"],
] as const;

function Compared({ compared }: { compared: MatricesCompared }) {
  const { show } = route.useSearch();
  const navigate = route.useNavigate();
  const told = compared.cells.filter(({ change }) => change === "regressed" || change === "improved");
  const all = show === "all" || told.length === 0;
  const failing = useFailing(compared);
  return (
    <>
      <Panel>
        <div className={classes.headline}>
          <div className={classes.changes} role="status">
            {CHANGES.map(([change, words]) => (
              <div
                key={change}
                className={classes.change}
                data-change={compared[change] > 0 ? change : undefined}
              >
                <b>{compared[change]}</b>
                <span>{words}</span>
              </div>
            ))}
          </div>
          <div>
            <Side name="Before" matrix={compared.before} />
            <Side name="After" matrix={compared.after} />
          </div>
        </div>
      </Panel>
      <Panel
        title={compared.regressed > 0 ? "Changes, regressions first" : "Changes"}
        flush
        tools={
          told.length > 0 &&
          told.length < compared.cells.length && (
            <Button
              size="compact-xs"
              variant="subtle"
              onClick={() =>
                void navigate({
                  search: (before) => compact({ ...before, show: all ? undefined : ("all" as const) }),
                  resetScroll: false,
                })
              }
            >
              {all ? "Only what changed" : `All ${compared.cells.length} cells`}
            </Button>
          )
        }
      >
        {told.length === 0 && (
          <Text size="sm" p="md" pb={0}>
            No cell is newly confirmed or no longer so, and no interval has left the one before.
          </Text>
        )}
        <ChangesTable compared={compared} cells={all ? compared.cells : told} failing={failing} />
      </Panel>
      <Panel
        title="Every cell"
        flush
        tools={
          <Text size="xs" c="var(--ody-text-dim)">
            above: before, below: after
          </Text>
        }
      >
        <CompareMap compared={compared} failing={failing} />
      </Panel>
    </>
  );
}

function Side({ name, matrix }: { name: string; matrix: MatrixSummary }) {
  return (
    <div className={classes.side}>
      <Text size="xs" c="var(--ody-text-dim)">
        {name}
      </Text>
      <TextLink to="/matrices/$matrixId" params={{ matrixId: matrix.id }} truncate title={nameOf(matrix)}>
        {nameOf(matrix)}
        {matrix.name !== "" && ` v${matrix.agent_version}`}
      </TextLink>
      {matrix.summary && (
        <>
          <BandsBar bands={matrix.summary.shift} />
          <div className={classes.sideFound}>
            <FoundBadges of={matrix.summary} />
          </div>
        </>
      )}
    </div>
  );
}
