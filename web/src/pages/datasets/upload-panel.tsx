import { Anchor, Button, Group, Loader, Stack, Text } from "@mantine/core";
import { type ReactNode, useMemo, useState } from "react";
import type { Content, Lint } from "~/api/datasets";
import { templatePath } from "~/api/datasets";
import type { Problem } from "~/api/problem";
import { counted } from "~/components/counted";
import { ChooseFile, FileDrop, useFile } from "~/components/file-drop";
import { Panel } from "~/components/page";
import { Refusal } from "~/components/refusal";
import { TableText } from "~/components/table-text";
import classes from "~/pages/datasets/datasets.module.css";
import { FaultsTable, faultsOf } from "~/pages/datasets/faults-table";
import { type Cell, type Found, rowsIn } from "~/pages/datasets/grid/rows";
import { MOST_EDITED } from "~/pages/datasets/sizes";
import { UngradableBanner } from "~/pages/datasets/ungradable-banner";
import { useLint } from "~/pages/datasets/use-lint";

const LARGEST_BYTES = 52_428_800;
const PLACEHOLDER = `user,state,checks
"Cancel order ord_1.","{""order"": {""ord_1"": {""status"": ""pending""}}}","[{""called"": ""update_order""}]"`;

interface UploadPanelProps {
  /** Into the grid, to be mended there; with the cell to begin at. */
  onEdit: (found: Found, cell: Cell | null) => void;
  onName?: (name: string) => void;
  /** What the server said to saving this content. */
  refused: Problem | null;
  /** The button that saves. */
  children: (content: Content | null, ready: boolean) => ReactNode;
}

/** Rows from a file or the clipboard. What is wrong with them is told before they are saved. */
export function UploadPanel({ onEdit, onName, refused, children }: UploadPanelProps) {
  const [taken, setTaken] = useState({ text: "", name: null as string | null });
  const content = useMemo(() => contentIn(taken.text), [taken.text]);
  const { found, problem, checking } = useLint(content);
  const lint = found?.of === content ? (found?.lint ?? null) : null;
  const file = useFile((text, name) => {
    setTaken({ text, name });
    onName?.(name.replace(/\.[^.]*$/, ""));
  }, LARGEST_BYTES);

  function edit(cell: Cell | null) {
    const rows = content && rowsIn(content);
    if (rows) onEdit(rows, cell);
  }

  const editable = lint !== null && lint.rows <= MOST_EDITED && taken.text.length < LARGEST_BYTES / 10;
  return (
    <FileDrop file={file}>
      <div className={classes.split}>
        <Panel title="Rows" style={{ minWidth: 0 }}>
          <Stack gap="sm">
            <Text size="sm" c="var(--ody-text-dim)">
              CSV with a line of column names, or a JSON list of objects. Paste it, drop a file anywhere here,
              or{" "}
              <ChooseFile file={file} of="table">
                choose a file
              </ChooseFile>
            </Text>
            <TableText
              text={taken.text}
              name={taken.name}
              placeholder={PLACEHOLDER}
              onChange={(text) => {
                file.forget();
                setTaken({ text, name: taken.name });
              }}
            />
            {file.problem && (
              <Text size="xs" c="var(--band-red)" role="alert">
                {file.problem}
              </Text>
            )}
            <Text size="xs" c="var(--ody-text-dim)">
              Two rows to begin with:{" "}
              <Anchor size="xs" href={templatePath("csv")} download underline="always">
                CSV template
              </Anchor>
              {", "}
              <Anchor size="xs" href={templatePath("json")} download underline="always">
                JSON template
              </Anchor>
              . At most 100,000 rows and 50 MiB.
            </Text>
          </Stack>
        </Panel>
        <Panel title="What is in it" style={{ minWidth: 0 }}>
          <Stack gap="sm">
            <Summary
              lint={lint}
              waiting={content !== null && (checking || lint === null) && problem === null}
            />
            {!checking && <Refusal error={problem} />}
            <UngradableBanner found={lint?.ungradable} />
            {lint && <FaultsTable faults={lint.errors} tone="red" onShow={editable ? edit : undefined} />}
            {lint && <FaultsTable faults={lint.warnings} tone="amber" onShow={editable ? edit : undefined} />}
            {lint && <FaultsTable faults={lint.hints} tone="hint" onShow={editable ? edit : undefined} />}
            {refused && (refused.errors.length === 0 || lint?.valid) && (
              <>
                <Refusal error={refused} title="Not saved" />
                <FaultsTable faults={faultsOf(refused.errors)} tone="red" />
              </>
            )}
            <Group gap="xs">
              {children(content, lint?.valid ?? false)}
              {editable && (
                <Button variant="default" onClick={() => edit(null)}>
                  Edit the rows here
                </Button>
              )}
            </Group>
          </Stack>
        </Panel>
      </div>
    </FileDrop>
  );
}

function contentIn(text: string): Content | null {
  if (text.trim() === "") return null;
  return { format: /^\s*[[{]/.test(text) ? "json" : "csv", text };
}

function Summary({ lint, waiting }: { lint: Lint | null; waiting: boolean }) {
  if (waiting) return <Loader size="sm" role="status" aria-label="Checking" />;
  if (lint === null) {
    return (
      <Text size="sm" c="var(--ody-text-dim)">
        Paste or drop something first.
      </Text>
    );
  }
  return (
    <Text size="sm" role="status">
      <b>{counted(lint.rows, "row")}</b>
      {lint.valid ? ", nothing to mend." : ". Nothing is saved until every row is sound."}
    </Text>
  );
}
