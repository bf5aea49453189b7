import { Stack, Text } from "@mantine/core";
import { IconChartDots3 } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { type Precision, type ReviewFigures, reviewFiguresQuery } from "~/api/reviews";
import { counted } from "~/components/counted";
import { ButtonLink, Page, Panel, TextLink } from "~/components/page";
import { intervalText, percent, ShareBar } from "~/components/share";
import { Empty, ErrorState, PageLoading } from "~/components/states";
import { PrecisionTable } from "~/pages/reviews/figures/precision-table";
import { Thresholds } from "~/pages/reviews/figures/thresholds";
import classes from "~/pages/reviews/reviews.module.css";

const REQUESTS = [
  { what: "These figures", path: "/api/v1/review/figures" },
  {
    what: "Use another threshold",
    method: "PUT" as const,
    path: "/api/settings",
    body: { evals: { thresholds: { critical: 0.62 } } },
  },
];

/** What the verdicts so far say: how often flags were right, and whether other thresholds would do better. */
export function FiguresPage() {
  const { data, error, refetch } = useQuery(reviewFiguresQuery);
  return (
    <Page
      title="Precision of flags"
      trail={[
        <TextLink key="review" to="/review">
          Review
        </TextLink>,
      ]}
      curl={REQUESTS}
    >
      {data ? (
        <Figures figures={data} />
      ) : error ? (
        <ErrorState error={error} retry={() => void refetch()} />
      ) : (
        <PageLoading />
      )}
    </Page>
  );
}

function Figures({ figures: { overall, by_risk, by_variation, thresholds } }: { figures: ReviewFigures }) {
  return (
    <>
      <Panel title="All flags with a verdict">
        {overall.precision === null ? <NoneDecided /> : <Overall of={overall} />}
      </Panel>
      {overall.precision !== null && (
        <div className={classes.columns}>
          <PrecisionTable title="By risk" of="risk" rows={Object.entries(by_risk)} />
          <PrecisionTable title="By variation" of="variation" rows={Object.entries(by_variation)} />
        </div>
      )}
      <Thresholds thresholds={thresholds} />
    </>
  );
}

function NoneDecided() {
  return (
    <Empty
      icon={<IconChartDots3 size={32} stroke={1.5} />}
      title="No flag has a verdict yet"
      action={<ButtonLink to="/review">Go to the queue</ButtonLink>}
    >
      Once flags have verdicts, this page tells how often they were right, by risk and by variation.
    </Empty>
  );
}

function Overall({ of: { precision, interval, right, wrong } }: { of: Precision }) {
  const share = { share: precision, interval: interval ?? [0, 1] };
  return (
    <div className={classes.overall}>
      <div>
        <span className={classes.big}>{percent(precision ?? 0)}</span>{" "}
        <span className={classes.dim}>{intervalText(share.interval)}</span>
        <Text size="sm" c="var(--ody-text-dim)">
          of the flags were right
        </Text>
      </div>
      <Stack gap={6} className={classes.precision}>
        <ShareBar of={share} what="Precision of all flags" wordless />
        <Text size="sm">
          {counted(right + wrong, "flag")} looked at: {right} right, {wrong} wrong. Defects found count as
          right. The band is the 95 % interval (Wilson): few verdicts leave it wide.
        </Text>
      </Stack>
    </div>
  );
}
