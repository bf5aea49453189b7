import type { Precision } from "~/api/reviews";
import type { RiskLevel } from "~/api/scenarios";
import { type Column, DataTable } from "~/components/data-table";
import { variationName } from "~/components/evals/names";
import { RiskBadge } from "~/components/evals/risk";
import { Panel, TextLink } from "~/components/page";
import { ShareBar } from "~/components/share";
import classes from "~/pages/reviews/reviews.module.css";

type Row = [name: string, precision: Precision];

interface PrecisionTableProps {
  title: string;
  of: "risk" | "variation";
  rows: Row[];
}

/** How often flags were right, row by row, each with its interval. */
export function PrecisionTable({ title, of, rows }: PrecisionTableProps) {
  const columns: Column<Row>[] = [
    {
      id: "name",
      title: of === "risk" ? "Risk" : "Variation",
      render: ([name]) => (of === "risk" ? <RiskBadge level={name as RiskLevel} /> : variationName(name)),
    },
    {
      id: "precision",
      title: "Precision",
      render: ([name, { precision, interval }]) =>
        precision === null ? (
          <span className={classes.dim}>no verdict yet</span>
        ) : (
          <ShareBar of={{ share: precision, interval: interval ?? [0, 1] }} what={`Precision, ${name}`} />
        ),
    },
    {
      id: "verdicts",
      title: "Right, wrong",
      align: "right",
      render: ([name, { right, wrong }]) =>
        right + wrong === 0 ? null : (
          <TextLink
            to="/review"
            search={{
              status: "decided",
              source: "flag",
              ...(of === "risk" ? { risk_level: name as RiskLevel } : { variation_type: name }),
            }}
          >
            {right}, {wrong}
          </TextLink>
        ),
    },
  ];
  return (
    <Panel title={title} flush>
      <DataTable
        label={`Precision ${title.toLowerCase()}`}
        columns={columns}
        rows={rows}
        rowKey={([name]) => name}
      />
    </Panel>
  );
}
