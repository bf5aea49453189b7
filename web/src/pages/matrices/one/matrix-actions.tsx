import { Button, Menu, Tooltip } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { IconDownload, IconPlayerPlay, IconRefresh } from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import {
  cancelMatrix,
  type Matrix,
  type MatrixFormat,
  matricesChanged,
  matrixExportPath,
  resumeMatrix,
} from "~/api/matrices";
import { asProblem } from "~/api/problem";
import { CancelRuns } from "~/components/cancel-runs";
import { counted } from "~/components/counted";
import { useRerun } from "~/components/matrices/use-rerun";
import { useMayChange } from "~/components/may-change";
import { CompareMenu } from "~/pages/matrices/one/compare-menu";

const FORMATS: [MatrixFormat, string][] = [
  ["report", "Report, one HTML page"],
  ["html", "Heat map, one HTML file"],
  ["markdown", "Markdown, for a pull request"],
  ["junit", "JUnit, for continuous integration"],
  ["json", "JSON"],
];

export function MatrixActions({ matrix }: { matrix: Matrix }) {
  const mayChange = useMayChange();
  return (
    <>
      {mayChange && matrix.status === "running" && <Cancel matrix={matrix} />}
      {mayChange && matrix.status === "cancelled" && <Resume matrix={matrix} />}
      {mayChange && matrix.status !== "running" && <Rerun matrix={matrix} />}
      <CompareMenu matrix={matrix} />
      <Menu position="bottom-end">
        <Menu.Target>
          <Button variant="default" leftSection={<IconDownload size={15} />}>
            Export
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {FORMATS.map(([format, words]) => (
            <Menu.Item key={format} component="a" href={matrixExportPath(matrix.id, format)} download>
              {words}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
    </>
  );
}

function Cancel({ matrix }: { matrix: Matrix }) {
  const client = useQueryClient();
  return (
    <CancelRuns
      kind="matrix"
      cancel={() => cancelMatrix(matrix.id)}
      onCancelled={() => matricesChanged(client)}
    >
      {counted(matrix.progress.planned - matrix.progress.ended, "run")} that wait or go on are cancelled. What
      has ended is kept, and the matrix can be resumed as long as nothing it is made of is edited.
    </CancelRuns>
  );
}

function Resume({ matrix }: { matrix: Matrix }) {
  const client = useQueryClient();
  const resume = useMutation({
    mutationFn: () => resumeMatrix(matrix.id),
    onSettled: () => matricesChanged(client),
    onError: (error) =>
      notifications.show({ color: "red", title: "Not resumed", message: asProblem(error).detail }),
  });
  const changed = matrix.changed.length > 0;
  return (
    <Tooltip
      label={`It cannot go on as it began: ${matrix.changed.join("; ")}. Run it again instead.`}
      disabled={!changed}
      multiline
      maw={360}
    >
      <Button
        leftSection={<IconPlayerPlay size={15} />}
        loading={resume.isPending}
        data-disabled={changed}
        aria-disabled={changed}
        aria-description={changed ? matrix.changed.join("; ") : undefined}
        onClick={(event) => (changed ? event.preventDefault() : resume.mutate())}
      >
        Resume
      </Button>
    </Tooltip>
  );
}

function Rerun({ matrix }: { matrix: Matrix }) {
  const rerun = useRerun();
  return (
    <Tooltip label="A new matrix of the same selection, with everything as it is now">
      <Button
        variant="default"
        leftSection={<IconRefresh size={15} />}
        loading={rerun.isPending}
        onClick={() => rerun.mutate(matrix.id)}
      >
        Run again
      </Button>
    </Tooltip>
  );
}
