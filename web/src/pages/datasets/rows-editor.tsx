import { ActionIcon, Button, Group, Menu, Select, Stack, Text, Tooltip } from "@mantine/core";
import {
  IconArrowBackUp,
  IconArrowForwardUp,
  IconColumns3,
  IconCopyPlus,
  IconPencil,
  IconPlus,
  IconTrash,
} from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useMemo, useState } from "react";
import type { Note } from "~/api/datasets";
import { agentsQuery } from "~/api/queries";
import { worldsQuery } from "~/api/worlds";
import { counted } from "~/components/counted";
import { Panel } from "~/components/page";
import { Refusal } from "~/components/refusal";
import { COLUMNS, columnOf } from "~/pages/datasets/columns";
import { FaultsTable } from "~/pages/datasets/faults-table";
import { CellDialog } from "~/pages/datasets/grid/cell-dialog";
import { WORLD_NAMES } from "~/pages/datasets/grid/cell-editor";
import { Grid } from "~/pages/datasets/grid/grid";
import classes from "~/pages/datasets/grid/grid.module.css";
import { NO_NOTES, notesAt, notesOf } from "~/pages/datasets/grid/notes";
import { type Cell, contentOf, newRow, type Row } from "~/pages/datasets/grid/rows";
import type { Rows } from "~/pages/datasets/grid/use-rows";
import { useLint, withoutLine } from "~/pages/datasets/use-lint";

interface RowsEditorProps {
  rows: Rows;
  active: Cell | null;
  onActive: (cell: Cell) => void;
  readOnly?: boolean;
  /** Below the grid: what saves. */
  children?: (faults: number) => ReactNode;
}

/** Rows to write in the browser, checked as they are written. */
export function RowsEditor({ rows, active, onActive, readOnly = false, children }: RowsEditorProps) {
  const [opened, setOpened] = useState<Cell | null>(null);
  const [agentId, setAgentId] = useState<number | undefined>();
  const { list } = rows;
  const content = useMemo(
    () => (readOnly || isBlank(list) ? null : { ...contentOf(list), rows: list }),
    [readOnly, list],
  );
  const { found, problem } = useLint(content, agentId);
  const notes = useMemo(() => (found ? notesOf(found.of.rows, found.lint) : NO_NOTES), [found]);
  const lint = content === null ? null : (found?.lint ?? null);
  const openedRow = opened && list[opened.row];

  /** A fault belongs to the row it was found in, wherever that is now. */
  function show({ row, column }: Cell) {
    const key = found?.of.rows[row]?.key;
    const now = list.findIndex((each) => each.key === key);
    if (now === -1) return;
    if (!rows.columns.includes(column) && columnOf(column)) rows.show([...rows.columns, column]);
    onActive({ row: now, column: columnOf(column) ? column : "user" });
  }

  return (
    <>
      <Panel flush>
        {!readOnly && (
          <Toolbar
            rows={rows}
            active={active}
            onActive={onActive}
            onOpen={setOpened}
            agentId={agentId}
            onAgent={setAgentId}
          />
        )}
        <Grid
          label="Rows"
          columns={rows.columns}
          rows={list}
          notes={notes}
          active={active}
          onActive={onActive}
          onOpen={setOpened}
          edits={readOnly ? null : rows}
        />
        <About
          active={active}
          row={active ? list[active.row] : undefined}
          notes={notes}
          readOnly={readOnly}
        />
        {(lint || problem) && (
          <Stack px="md" py="sm" gap="sm" className={classes.found}>
            <Refusal error={problem} title="Not checked" />
            {lint && lint.errors.length + lint.warnings.length === 0 && (
              <Text size="sm" c="var(--ody-text-dim)" role="status">
                {counted(list.length, "row")}, nothing to mend.
              </Text>
            )}
            {lint && <FaultsTable faults={lint.errors.map(inGrid)} tone="red" onShow={show} />}
            {lint && <FaultsTable faults={lint.warnings.map(inGrid)} tone="amber" onShow={show} />}
            {lint && <FaultsTable faults={lint.hints.map(inGrid)} tone="hint" onShow={show} />}
          </Stack>
        )}
        {opened && openedRow && (
          <CellDialog
            row={openedRow}
            number={opened.row}
            column={opened.column}
            agentId={agentId}
            onWrite={readOnly ? null : (text) => rows.write(opened, text)}
            onClose={() => {
              setOpened(null);
              onActive({ ...opened });
            }}
          />
        )}
        {!readOnly && <WorldNames />}
      </Panel>
      {children?.(lint?.errors.length ?? 0)}
    </>
  );
}

function inGrid(note: Note): Note {
  return { ...note, msg: withoutLine(note.msg) };
}

export function isBlank(rows: Row[]): boolean {
  return rows.every(({ cells }) => Object.values(cells).every((text) => text === ""));
}

interface ToolbarProps {
  rows: Rows;
  active: Cell | null;
  onActive: (cell: Cell) => void;
  onOpen: (cell: Cell) => void;
  agentId: number | undefined;
  onAgent: (agentId: number | undefined) => void;
}

function Toolbar({ rows, active, onActive, onOpen, agentId, onAgent }: ToolbarProps) {
  const { data: agents = [] } = useQuery(agentsQuery);
  const chosen = active && rows.list[active.row] ? active : null;

  function add(at: number, row?: Row) {
    rows.insert(at, row);
    onActive({ row: at, column: chosen?.column ?? "user" });
  }

  return (
    <Group p="xs" gap="xs" role="toolbar" aria-label="Rows">
      <Button
        variant="default"
        leftSection={<IconPlus size={14} />}
        onClick={() => add(chosen ? chosen.row + 1 : rows.list.length)}
      >
        Add a row
      </Button>
      <Button
        variant="default"
        leftSection={<IconCopyPlus size={14} />}
        disabled={chosen === null}
        onClick={() => chosen && add(chosen.row + 1, newRow({ ...rows.list[chosen.row]?.cells }))}
      >
        Duplicate
      </Button>
      <Button
        variant="default"
        leftSection={<IconTrash size={14} />}
        disabled={chosen === null}
        onClick={() => {
          if (!chosen) return;
          rows.remove(chosen.row);
          onActive({ ...chosen, row: Math.max(0, Math.min(chosen.row, rows.list.length - 2)) });
        }}
      >
        Remove
      </Button>
      <Button
        variant="default"
        leftSection={<IconPencil size={14} />}
        disabled={chosen === null || columnOf(chosen.column)?.kind !== "json"}
        onClick={() => chosen && onOpen(chosen)}
      >
        Edit as JSON
      </Button>
      <Tool label="Undo" icon={IconArrowBackUp} disabled={!rows.canUndo} onClick={rows.undo} />
      <Tool label="Redo" icon={IconArrowForwardUp} disabled={!rows.canRedo} onClick={rows.redo} />
      <Menu position="bottom-start" closeOnItemClick={false}>
        <Menu.Target>
          <Button variant="default" leftSection={<IconColumns3 size={14} />}>
            Columns
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {COLUMNS.map(({ name, about }) => {
            const shown = rows.columns.includes(name);
            const filled = rows.list.some(({ cells }) => (cells[name] ?? "") !== "");
            return (
              <Menu.CheckboxItem
                key={name}
                checked={shown}
                disabled={name === "user" || (shown && filled)}
                onChange={() =>
                  rows.show(shown ? rows.columns.filter((each) => each !== name) : [...rows.columns, name])
                }
              >
                <Text size="xs" ff="monospace" fw={600}>
                  {name}
                </Text>
                <Text size="xs" c="var(--ody-text-dim)" maw={300}>
                  {about}
                </Text>
              </Menu.CheckboxItem>
            );
          })}
        </Menu.Dropdown>
      </Menu>
      <Select
        size="xs"
        ml="auto"
        w={{ base: "100%", xs: 220 }}
        aria-label="Compare with the tools and schema of an agent"
        placeholder="Compare with an agent"
        searchable
        clearable
        clearButtonProps={{ "aria-label": "Compare with no agent" }}
        data={agents.map(({ id, name }) => ({ value: String(id), label: name }))}
        value={agentId === undefined ? null : String(agentId)}
        onChange={(id) => onAgent(id === null ? undefined : Number(id))}
      />
    </Group>
  );
}

interface ToolProps {
  label: string;
  icon: typeof IconPlus;
  disabled: boolean;
  onClick: () => void;
}

function Tool({ label, icon: Icon, disabled, onClick }: ToolProps) {
  return (
    <Tooltip label={label}>
      <ActionIcon variant="default" size={30} aria-label={label} disabled={disabled} onClick={onClick}>
        <Icon size={16} />
      </ActionIcon>
    </Tooltip>
  );
}

interface AboutProps {
  active: Cell | null;
  row: Row | undefined;
  notes: typeof NO_NOTES;
  readOnly: boolean;
}

/** The cell one is in: what its column is for, and what is wrong with it. */
function About({ active, row, notes, readOnly }: AboutProps) {
  const here = active && row ? notesAt(notes.get(row.key), active.column) : [];
  return (
    <div className={classes.below}>
      <div className={classes.about}>
        {active && row ? (
          <>
            <b>
              {active.column} of row {active.row}
            </b>
            : {columnOf(active.column)?.about}
            {here.map(({ kind, path, msg }) => (
              <Text
                key={path.join(".") + msg}
                size="xs"
                c={kind === "error" ? "var(--band-red)" : "var(--band-amber)"}
              >
                {path.length > 0 && `${path.join(".")}: `}
                {msg}
              </Text>
            ))}
          </>
        ) : (
          "Choose a cell to see what its column is for."
        )}
      </div>
      <div className={classes.keys}>
        {readOnly
          ? "Arrow keys move, Enter shows the cell"
          : "Enter writes, Ctrl V pastes cells, Ctrl Z takes back"}
      </div>
    </div>
  );
}

/** Names to choose from in the column of worlds. */
function WorldNames() {
  const { data: worlds = [] } = useQuery(worldsQuery);
  return (
    <datalist id={WORLD_NAMES}>
      {worlds.map(({ id, name }) => (
        <option key={id} value={name}>
          {`World ${id}`}
        </option>
      ))}
    </datalist>
  );
}
