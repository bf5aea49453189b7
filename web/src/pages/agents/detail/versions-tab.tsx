import { Group, Radio, Text } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useMemo } from "react";
import { type Agent, type AgentVersion, versionsQuery } from "~/api/queries";
import { ToneBadge } from "~/components/badges";
import { type Column, DataTable } from "~/components/data-table";
import { DiffView } from "~/components/json-diff/diff-view";
import { diffJson } from "~/components/json-diff/json-diff";
import { JsonView } from "~/components/json-view";
import { Panel } from "~/components/page";
import { ErrorState, RowsLoading } from "~/components/states";
import { Ago } from "~/components/time";
import classes from "~/pages/agents/agents.module.css";
import { contentOf } from "~/pages/agents/form/draft";

const route = getRouteApi("/app/agents/$agentId");
const HASH_SHOWN = 8;

/** Every saved state of the agent, and what lies between any two. */
export function VersionsTab({ agent }: { agent: Agent }) {
  const { from, to } = route.useSearch();
  const navigate = route.useNavigate();
  const query = useQuery({ ...versionsQuery(agent.id), placeholderData: keepPreviousData });
  const newestFirst = useMemo(() => query.data?.toReversed(), [query.data]);
  if (!newestFirst) {
    if (query.error) return <ErrorState error={query.error} retry={() => void query.refetch()} />;
    return <RowsLoading />;
  }
  const chosen = choose(agent, from, to);

  function compare(change: { from?: number; to?: number }) {
    void navigate({
      search: (before) => ({ ...before, ...chosen, ...change }),
      replace: true,
      resetScroll: false,
    });
  }

  const columns: Column<AgentVersion>[] = [
    ...(["from", "to"] as const).map(
      (end): Column<AgentVersion> => ({
        id: end,
        title: end === "from" ? "From" : "To",
        width: 46,
        render: (version) => (
          <Radio
            size="xs"
            name={`compare-${end}`}
            aria-label={`Compare ${end} version ${version.version}`}
            checked={chosen[end] === version.version}
            onChange={() => compare({ [end]: version.version })}
          />
        ),
      }),
    ),
    {
      id: "version",
      title: "Version",
      render: (version) => (
        <Group gap={6}>
          <Text span inherit fw={600}>
            v{version.version}
          </Text>
          {version.published && <ToneBadge tone="green">published</ToneBadge>}
        </Group>
      ),
    },
    {
      id: "hash",
      title: "Hash",
      render: (version) => (
        <span className={`${classes.mono} ${classes.oneLine}`} title={version.content_hash}>
          {version.content_hash.replace(/^\w+:/, "").slice(0, HASH_SHOWN)}
        </span>
      ),
    },
    {
      id: "created",
      title: "Created",
      width: 104,
      render: (version) => (
        <span className={classes.nowrap}>
          <Ago at={version.created_at} />
        </span>
      ),
    },
  ];

  const before = newestFirst.find((version) => version.version === chosen.from);
  const after = newestFirst.find((version) => version.version === chosen.to);
  return (
    <div className={classes.compare}>
      <Panel title={`Versions (${newestFirst.length})`} flush style={{ minWidth: 0 }}>
        <DataTable
          label="Versions"
          columns={columns}
          rows={newestFirst}
          rowKey={(version) => version.version}
          isSelected={(version) => version === before || version === after}
        />
      </Panel>
      <Comparison before={before} after={after} only={newestFirst.length === 1} />
    </div>
  );
}

interface ComparisonProps {
  before: AgentVersion | undefined;
  after: AgentVersion | undefined;
  /** There is nothing to compare with. */
  only: boolean;
}

function Comparison({ before, after, only }: ComparisonProps) {
  const changes = useMemo(
    () => (before && after ? diffJson(contentOf(before), contentOf(after)) : []),
    [before, after],
  );
  if (only && after) {
    return (
      <Panel title={`Version ${after.version}`} style={{ minWidth: 0 }}>
        <Text size="sm" c="var(--ody-text-dim)" mb="xs">
          The only version so far. Each save that changes something adds one.
        </Text>
        <JsonView value={contentOf(after)} name={`version ${after.version}`} />
      </Panel>
    );
  }
  if (!before || !after) {
    return (
      <Panel title="Difference" style={{ minWidth: 0 }}>
        <Text size="sm">The address names a version that does not exist. Choose two on the left.</Text>
      </Panel>
    );
  }
  return (
    <Panel
      title={`From version ${before.version} to ${after.version}`}
      style={{ minWidth: 0 }}
      tools={
        <Text size="xs" c="var(--ody-text-dim)">
          {changes.length === 1 ? "1 change" : `${changes.length} changes`}
        </Text>
      }
    >
      <DiffView changes={changes} />
    </Panel>
  );
}

/** Without a choice: what is published against a newer draft, else the last step. */
function choose(
  agent: Agent,
  from: number | undefined,
  to: number | undefined,
): { from: number; to: number } {
  const published = agent.published_version;
  const waiting = published !== null && published < agent.version;
  return { from: from ?? (waiting ? published : Math.max(1, agent.version - 1)), to: to ?? agent.version };
}
