import { Button, Group, Modal, Stack, Text } from "@mantine/core";
import { useMemo, useState } from "react";
import { CurrentFaults } from "~/components/current-faults";
import { JsonField } from "~/components/json-field";
import { JsonView } from "~/components/json-view";
import { readStrict, Unread } from "~/components/rules/json-text";
import { PlainText } from "~/components/section";
import { columnOf } from "~/pages/datasets/columns";
import { type CellNote, notesAt, notesOf } from "~/pages/datasets/grid/notes";
import { contentOf, type Row } from "~/pages/datasets/grid/rows";
import { tidy } from "~/pages/datasets/grid/tidy";
import { useLint } from "~/pages/datasets/use-lint";

interface CellDialogProps {
  row: Row;
  number: number;
  column: string;
  /** The agent its tools are compared with. */
  agentId?: number | undefined;
  /** Null where it is only read. */
  onWrite: ((text: string) => void) | null;
  onClose: () => void;
}

/** One cell with room around it. */
export function CellDialog({ row, number, column, agentId, onWrite, onClose }: CellDialogProps) {
  return (
    <Modal opened onClose={onClose} title={`${column} of row ${number}`} size="xl">
      {onWrite ? (
        <Written row={row} column={column} agentId={agentId} onWrite={onWrite} onClose={onClose} />
      ) : (
        <Shown text={row.cells[column] ?? ""} column={column} />
      )}
    </Modal>
  );
}

function Shown({ text, column }: { text: string; column: string }) {
  const value = columnOf(column)?.kind === "json" ? readStrict(text) : new Unread(text);
  if (text === "") return <Text size="sm">Nothing is written here.</Text>;
  return value instanceof Unread ? (
    <PlainText text={text} label={column} />
  ) : (
    <JsonView value={value} name={column} depth={4} />
  );
}

interface WrittenProps {
  row: Row;
  column: string;
  agentId: number | undefined;
  onWrite: (text: string) => void;
  onClose: () => void;
}

function Written({ row, column, agentId, onWrite, onClose }: WrittenProps) {
  const [first] = useState(() => tidy(row.cells[column] ?? ""));
  const [text, setText] = useState(first);
  const draft = useMemo(() => {
    const rows = [{ ...row, cells: { ...row.cells, [column]: text } }];
    return { ...contentOf(rows), rows };
  }, [row, column, text]);
  const { found, checking } = useLint(draft, agentId);
  const notes = found ? notesAt(notesOf(found.of.rows, found.lint).get(row.key), column) : [];
  const about = columnOf(column);

  function keep() {
    if (text !== first) onWrite(text);
    onClose();
  }

  return (
    <Stack
      gap="sm"
      onKeyDown={(event) => {
        if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) keep();
      }}
    >
      <CurrentFaults value={!checking}>
        <JsonField
          label={column}
          {...(about && { description: about.about })}
          value={text}
          onChange={setText}
          errors={errorsOf(notes)}
          placeholder={about?.example ?? ""}
          minHeight={260}
          maxHeight={520}
          autoFocus
        />
      </CurrentFaults>
      {notes
        .filter(({ kind }) => kind === "warning")
        .map(({ msg, path }) => (
          <Text
            key={path.join(".") + msg}
            size="xs"
            c="var(--band-amber)"
            style={{ overflowWrap: "anywhere" }}
          >
            {path.join(".")}: {msg}
          </Text>
        ))}
      <Group justify="space-between" gap="xs">
        <Group gap="xs">
          <Button variant="default" disabled={text.trim() === ""} onClick={() => setText(tidy(text))}>
            Tidy
          </Button>
          {text.trim() === "" && about?.example && (
            <Button variant="default" onClick={() => setText(about.example ?? "")}>
              Begin with an example
            </Button>
          )}
        </Group>
        <Group gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button onClick={keep}>Write it</Button>
        </Group>
      </Group>
    </Stack>
  );
}

function errorsOf(notes: CellNote[]) {
  return notes.filter(({ kind }) => kind === "error").map(({ path, msg }) => ({ loc: path, msg }));
}
