import { Button, Group, Text } from "@mantine/core";
import { IconRefresh } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { evalSummaryQuery, type EvalSummary as Summary } from "~/api/matrices";
import { ToneBadge } from "~/components/badges";
import { counted } from "~/components/counted";
import { BandsBar } from "~/components/matrices/bands-bar";
import { FoundBadges } from "~/components/matrices/found-badges";
import { useRerun } from "~/components/matrices/use-rerun";
import { useMayChange } from "~/components/may-change";
import { Panel, TextLink } from "~/components/page";
import { countsOf, ShareBar } from "~/components/share";
import classes from "~/pages/home/eval-summary.module.css";
import { Trend } from "~/pages/home/trend";

/** The newest matrix of every agent and single runs in figures; nothing as long as there are none. */
export function EvalSummary() {
  const { data } = useQuery(evalSummaryQuery);
  if (data === undefined) return null;
  const alone = data.single_runs?.runs ?? 0;
  if (data.matrices.length === 0 && data.not_evaluated.length === 0 && alone === 0) return null;
  return (
    <Panel
      title="Under pressure"
      tools={<TextLink to="/matrices">All matrices</TextLink>}
      style={{ gridColumn: "1 / -1" }}
    >
      <div className={classes.summary}>
        {data.matrices.length > 0 && <Figures summary={data} />}
        {data.versions.length > 0 && <Trend versions={data.versions} />}
      </div>
      <SingleRuns summary={data} />
      <NotEvaluated summary={data} />
    </Panel>
  );
}

function Figures({ summary }: { summary: Summary }) {
  const { overall } = summary.match_rate;
  const { green, amber, red, insufficient } = summary.shift;
  const [only] = summary.matrices;
  return (
    <div className={classes.figures}>
      <div>
        <span className={classes.label}>Planned runs that match what is expected</span>
        <ShareBar
          of={{ share: overall.share, interval: overall.interval ?? [0, 1] }}
          what="Match rate of the planned runs"
          counts={countsOf(overall.matched, overall.runs)}
        />
      </div>
      <div>
        <span className={classes.label}>
          {counted(green + amber + red + insufficient, "cell")} of{" "}
          {summary.matrices.length === 1 && only !== undefined ? (
            <TextLink to="/matrices/$matrixId" params={{ matrixId: only }} size="xs">
              the newest matrix
            </TextLink>
          ) : (
            `the newest matrices of ${summary.matrices.length} agents`
          )}
        </span>
        <BandsBar bands={summary.shift} tall />
        <span className={classes.label}>
          {green} green, {amber} amber, {red} red
          {insufficient > 0 && `, ${insufficient} without a shift`}
        </span>
      </div>
      <Group gap={6}>
        <ToneBadge tone={summary.confirmed > 0 ? "red" : "neutral"}>{summary.confirmed} confirmed</ToneBadge>
        <ToneBadge tone={summary.flagged > 0 ? "amber" : "neutral"}>{summary.flagged} flagged</ToneBadge>
        <FoundBadges of={summary} />
        {summary.flagged + summary.confirmed + summary.incidents > 0 && (
          <TextLink to="/review">Review them</TextLink>
        )}
      </Group>
    </div>
  );
}

function SingleRuns({ summary: { single_runs } }: { summary: Summary }) {
  if (single_runs === null || single_runs.runs === 0) return null;
  const { runs, flagged, match_rate: rate } = single_runs;
  return (
    <Group gap="xs" mt="xs">
      <TextLink to="/evals/runs">{counted(runs, "single run")}</TextLink>
      {rate.share === null ? (
        <Text size="sm">Nothing is expected of them.</Text>
      ) : (
        <ShareBar
          of={{ share: rate.share, interval: rate.interval ?? [0, 1] }}
          what="Match rate of single runs"
          counts={countsOf(rate.matched, rate.runs)}
        />
      )}
      <ToneBadge tone={flagged > 0 ? "amber" : "neutral"}>{flagged} flagged</ToneBadge>
    </Group>
  );
}

function NotEvaluated({ summary }: { summary: Summary }) {
  const mayChange = useMayChange();
  const rerun = useRerun();
  if (summary.not_evaluated.length === 0) return null;
  return (
    <ul className={classes.lacking} aria-label="Not evaluated yet">
      {summary.not_evaluated.map(({ agent_id, agent_name, agent_version, last_matrix_id }) => (
        <li key={agent_id}>
          <Text size="sm" className={classes.anywhere ?? ""}>
            Version {agent_version} of{" "}
            <TextLink to="/agents/$agentId" params={{ agentId: agent_id }}>
              {agent_name}
            </TextLink>{" "}
            is not evaluated yet.
          </Text>
          {mayChange && (
            <Button
              size="compact-sm"
              variant="light"
              leftSection={<IconRefresh size={14} />}
              loading={rerun.isPending && rerun.variables === last_matrix_id}
              onClick={() => rerun.mutate(last_matrix_id)}
            >
              Run its last matrix again
            </Button>
          )}
        </li>
      ))}
    </ul>
  );
}
