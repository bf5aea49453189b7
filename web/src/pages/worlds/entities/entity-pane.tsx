import { ActionIcon, Button, Group, SegmentedControl, Stack, Text, Tooltip } from "@mantine/core";
import { IconArrowBackUp, IconCopyPlus, IconTrash, IconX } from "@tabler/icons-react";
import { useState } from "react";
import { writeJson } from "~/api/json";
import type { Fields, World } from "~/api/worlds";
import { ToneBadge } from "~/components/badges";
import { Copy } from "~/components/copy";
import { JsonEditor } from "~/components/json-editor";
import { JsonView } from "~/components/json-view";
import { CHANGE_MARKS } from "~/components/ledger/changed-entity";
import { isObject, readStrict } from "~/components/rules/json-text";
import { editOf, entityIn, kindOfEdit } from "~/pages/worlds/entities/edits";
import classes from "~/pages/worlds/entities/entities.module.css";
import { FieldForm } from "~/pages/worlds/entities/field-form";
import { rowsOf, writtenFields } from "~/pages/worlds/entities/field-rows";
import type { Edits } from "~/pages/worlds/entities/use-edits";
import { useShown } from "~/pages/worlds/entities/use-shown";

interface EntityPaneProps {
  world: World;
  type: string;
  id: string;
  edits: Edits;
  mayChange: boolean;
  onDuplicate: (fields: Fields) => void;
  onClose: () => void;
}

/** One entity, to read and to change. What is written here joins the changes at once; the bar below saves them. */
export function EntityPane({ world, type, id, edits, mayChange, onDuplicate, onClose }: EntityPaneProps) {
  const pane = useShown<HTMLElement>();
  const edit = editOf(edits.list, type, id);
  const stored = edit ? edit.before : entityIn(world.initial_state, type, id);
  const fields = edit ? edit.after : stored;
  const mark = edit && CHANGE_MARKS[kindOfEdit(edit)];
  const put = (after: Fields | null) => edits.put({ entity_type: type, id, before: stored, after });
  return (
    <section ref={pane} className={classes.pane} aria-label={`${type} ${id}`}>
      <header className={classes.paneHead}>
        <div className={classes.paneTitle}>
          <Text size="xs" c="var(--ody-text-dim)" className={classes.clip} title={type}>
            {type}
          </Text>
          <Group gap={6} wrap="nowrap" component="h2" m={0} fz="inherit" fw="inherit">
            <span className={classes.paneId}>{id}</span>
            <Copy value={id} what="the id" />
            {mark && <ToneBadge tone={mark[0]}>{mark[1]}</ToneBadge>}
          </Group>
        </div>
        <ActionIcon variant="subtle" color="gray" aria-label="Close the entity" onClick={onClose}>
          <IconX size={16} />
        </ActionIcon>
      </header>
      {fields === null ? (
        <Stack gap="xs" className={classes.paneBody}>
          <Text size="sm">
            {edit ? "It is gone once the changes are saved." : "There is no such entity in this world."}
          </Text>
          {edit?.before && <JsonView value={edit.before} name="as it is stored" depth={1} />}
          {edit && (
            <div>
              <Button
                variant="default"
                leftSection={<IconArrowBackUp size={14} />}
                onClick={() => edits.drop(type, id)}
              >
                Keep it after all
              </Button>
            </div>
          )}
        </Stack>
      ) : mayChange ? (
        <>
          <Group gap={4} className={classes.paneTools}>
            <Button
              variant="subtle"
              size="compact-xs"
              leftSection={<IconCopyPlus size={13} />}
              onClick={() => onDuplicate(fields)}
            >
              Duplicate
            </Button>
            <Button
              variant="subtle"
              color="red"
              c="var(--band-red)"
              size="compact-xs"
              leftSection={<IconTrash size={13} />}
              onClick={() => (stored === null ? edits.drop(type, id) : put(null))}
            >
              Remove
            </Button>
            {edit?.before && (
              <Tooltip label="Back to what is stored">
                <Button
                  variant="subtle"
                  color="gray"
                  size="compact-xs"
                  leftSection={<IconArrowBackUp size={13} />}
                  onClick={() => edits.drop(type, id)}
                >
                  Undo
                </Button>
              </Tooltip>
            )}
          </Group>
          <Editor fields={fields} stored={stored} onChange={put} />
        </>
      ) : (
        <div className={classes.paneBody}>
          <JsonView value={fields} name={id} depth={3} />
        </div>
      )}
    </section>
  );
}

interface EditorProps {
  fields: Fields;
  stored: Fields | null;
  onChange: (fields: Fields) => void;
}

/** The same entity as a form or as JSON; what cannot be read yet is held here and changes nothing. */
export function Editor({ fields, stored, onChange }: EditorProps) {
  const [mode, setMode] = useState<"fields" | "json">("fields");
  const [rows, setRows] = useState(() => rowsOf(fields));
  const [text, setText] = useState(() => writeJson(fields));
  const broken = mode === "json" ? jsonFault(text) : null;

  function turn(next: string) {
    setRows(rowsOf(fields));
    setText(writeJson(fields));
    setMode(next === "json" ? "json" : "fields");
  }

  return (
    <Stack gap="xs" className={classes.paneBody}>
      <SegmentedControl
        size="xs"
        aria-label="How to write the entity"
        value={mode}
        onChange={turn}
        data={[
          { value: "fields", label: "Fields" },
          { value: "json", label: "JSON" },
        ]}
        style={{ alignSelf: "flex-start" }}
      />
      {mode === "fields" ? (
        <FieldForm
          rows={rows}
          stored={stored}
          onChange={(next) => {
            setRows(next);
            const written = writtenFields(next).fields;
            if (written) onChange(written);
          }}
        />
      ) : (
        <JsonEditor
          label="The entity as JSON"
          value={text}
          onChange={(next) => {
            setText(next);
            const value = readStrict(next);
            if (isObject(value)) onChange(value);
          }}
          error={broken}
          minHeight={180}
          maxHeight={480}
        />
      )}
    </Stack>
  );
}

function jsonFault(text: string): string | null {
  return isObject(readStrict(text)) ? null : "Not an object yet: this is not among the changes.";
}
