import { Group, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { cellId } from "~/api/cell-id";
import { agentsQuery } from "~/api/queries";
import type { ReviewItem } from "~/api/reviews";
import { ToneBadge } from "~/components/badges";
import { variationName } from "~/components/evals/names";
import { RiskBadge } from "~/components/evals/risk";
import { TextLink } from "~/components/page";
import { PlainText } from "~/components/section";
import { Ago } from "~/components/time";
import { Evidence } from "~/pages/reviews/item/evidence";
import { ItemFigures } from "~/pages/reviews/item/item-figures";
import { SourceMark } from "~/pages/reviews/marks";
import classes from "~/pages/reviews/reviews.module.css";
import { whyOf } from "~/pages/reviews/why";

/** One item: why it is here, in figures, and what the agent did; `children` say what it is. */
export function ItemView({ item, children }: { item: ReviewItem; children: ReactNode }) {
  return (
    <>
      <section className={classes.about} aria-label="Why it is here">
        <Group gap={8} className={classes.headline}>
          <h2 className={classes.title}>
            <TextLink
              to="/scenarios/$scenarioId"
              params={{ scenarioId: item.scenario_id }}
              inherit
              c="inherit"
            >
              {item.scenario_name}
            </TextLink>
          </h2>
          <SourceMark item={item} />
          {item.source !== "flag" && item.confirmed && (
            <ToneBadge tone="red" help="Its cell is: not noise">
              {item.source === "incident" ? "cell confirmed" : "confirmed"}
            </ToneBadge>
          )}
          <RiskBadge level={item.risk_level} />
          <ToneBadge tone="neutral">
            {item.variation_type === null ? "baseline" : variationName(item.variation_type)}
          </ToneBadge>
          {item.incident !== null && <ToneBadge tone="amber">{item.incident.replaceAll("_", " ")}</ToneBadge>}
          {item.status === "superseded" && <ToneBadge tone="neutral">superseded</ToneBadge>}
          {item.rule_set !== null && (
            <ToneBadge tone="injected" help="With the failure rules of this set">
              {item.rule_set}
            </ToneBadge>
          )}
        </Group>
        <Text size="sm" className={classes.anywhere}>
          {whyOf(item)}
        </Text>
        {item.notes !== "" && <PlainText text={item.notes} label="Notes of whoever put it here" />}
        <ItemFigures item={item} />
        <Links item={item} />
      </section>
      <Evidence item={item} />
      {children}
    </>
  );
}

function Links({ item }: { item: ReviewItem }) {
  const { data: agents } = useQuery(agentsQuery);
  const agent = agents?.find(({ id }) => id === item.agent_id);
  return (
    <Group gap="4px 16px" className={classes.links}>
      <TextLink to="/evals/runs/$runId" params={{ runId: item.run_id }} size="xs">
        Eval run {item.run_id}
      </TextLink>
      <TextLink to="/runs/$runId" params={{ runId: item.run_id }} size="xs">
        Trace of the run
      </TextLink>
      {item.matrix_id !== null && item.variation_type !== null && (
        <TextLink
          to="/matrices/$matrixId"
          params={{ matrixId: item.matrix_id }}
          search={{ cell: cellId({ ...item, variation_type: item.variation_type }) }}
          size="xs"
        >
          Cell of the matrix
        </TextLink>
      )}
      <Text size="xs" c="var(--ody-text-dim)" className={classes.anywhere}>
        {agent === undefined ? (
          `Agent ${item.agent_id}`
        ) : (
          <TextLink to="/agents/$agentId" params={{ agentId: agent.id }} size="xs" underline="always">
            {agent.name}
          </TextLink>
        )}
        , version {item.agent_version}, put here <Ago at={item.created_at} />
      </Text>
    </Group>
  );
}
