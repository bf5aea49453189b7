import { Box, Checkbox, Group, Text } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { useMemo } from "react";
import type { MatrixSummary } from "~/api/matrices";
import { StatusBadge, ToneBadge } from "~/components/badges";
import { type Column, DataTable } from "~/components/data-table";
import { BandsBar } from "~/components/matrices/bands-bar";
import { FoundBadges } from "~/components/matrices/found-badges";
import { TextLink } from "~/components/page";
import { Ago } from "~/components/time";
import classes from "~/pages/matrices/matrices.module.css";
import { nameOf } from "~/pages/matrices/matrix-name";
import { ProgressBar } from "~/pages/matrices/progress-bar";

interface MatrixTableProps {
  matrices: MatrixSummary[];
  chosen: string[];
  onChoose: (id: string) => void;
}

export function MatrixTable({ matrices, chosen, onChoose }: MatrixTableProps) {
  const navigate = useNavigate();
  const columns = useMemo(() => columnsOf(chosen, onChoose), [chosen, onChoose]);
  return (
    <DataTable
      label="Matrices"
      columns={columns}
      rows={matrices}
      rowKey={({ id }) => id}
      isSelected={({ id }) => chosen.includes(id)}
      onOpen={({ id }) => void navigate({ to: "/matrices/$matrixId", params: { matrixId: id } })}
    />
  );
}

function columnsOf(chosen: string[], onChoose: (id: string) => void): Column<MatrixSummary>[] {
  return [
    {
      id: "chosen",
      title: "",
      width: 32,
      render: (matrix) => (
        <Checkbox
          size="xs"
          aria-label={`Choose ${nameOf(matrix)} to compare`}
          checked={chosen.includes(matrix.id)}
          disabled={chosen.length === 2 && !chosen.includes(matrix.id)}
          onChange={() => onChoose(matrix.id)}
        />
      ),
    },
    {
      id: "name",
      title: "Matrix",
      width: "34%",
      render: (matrix) => (
        <div className={classes.named}>
          <TextLink
            to="/matrices/$matrixId"
            params={{ matrixId: matrix.id }}
            lineClamp={2}
            title={nameOf(matrix)}
          >
            {nameOf(matrix)}
          </TextLink>
          <Text size="xs" c="var(--ody-text-dim)" lineClamp={1}>
            {matrix.name !== "" && `${matrix.agent_name} v${matrix.agent_version}, `}
            {matrix.scenarios} × {matrix.variations}
            {matrix.rerun_of !== null && ", run again"}
          </Text>
          <Box hiddenFrom="sm">
            <StatusBadge status={matrix.status} />
          </Box>
        </div>
      ),
    },
    {
      id: "status",
      title: "Status",
      width: 100,
      wide: true,
      render: ({ status }) => <StatusBadge status={status} />,
    },
    {
      id: "progress",
      title: "Runs",
      width: 150,
      wide: true,
      render: ({ progress, status }) => <ProgressBar progress={progress} status={status} />,
    },
    {
      id: "bands",
      title: "Cells",
      width: 130,
      render: ({ summary }) =>
        summary ? <BandsBar bands={summary.shift} /> : <span className={classes.dim}>–</span>,
    },
    {
      id: "found",
      title: "Found",
      width: 150,
      render: ({ summary }) => (
        <Group gap={4}>
          {summary === null && <span className={classes.dim}>–</span>}
          {summary !== null && <FoundBadges of={summary} />}
          {summary !== null && summary.confirmed > 0 && (
            <ToneBadge tone="red">{summary.confirmed} confirmed</ToneBadge>
          )}
          {summary !== null && summary.flagged > 0 && (
            <ToneBadge tone="amber">{summary.flagged} flagged</ToneBadge>
          )}
          {summary !== null &&
            summary.flagged + summary.confirmed + summary.incidents + summary.broken_floors === 0 && (
              <span className={classes.dim}>none confirmed or flagged</span>
            )}
        </Group>
      ),
    },
    {
      id: "created",
      title: "Started",
      width: 100,
      align: "right",
      wide: true,
      render: ({ created_at }) => (
        <span className={classes.nowrap}>
          <Ago at={created_at} />
        </span>
      ),
    },
  ];
}
