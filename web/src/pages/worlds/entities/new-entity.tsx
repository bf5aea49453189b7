import { ActionIcon, Autocomplete, Button, Group, Stack, TextInput } from "@mantine/core";
import { IconX } from "@tabler/icons-react";
import { useEffect, useMemo, useRef, useState } from "react";
import type { Fields, World } from "~/api/worlds";
import { idFieldOf, without } from "~/pages/worlds/entities/columns";
import { editOf, entityIn } from "~/pages/worlds/entities/edits";
import classes from "~/pages/worlds/entities/entities.module.css";
import type { Draft } from "~/pages/worlds/entities/entities-tab";
import { Editor } from "~/pages/worlds/entities/entity-pane";
import type { Edits } from "~/pages/worlds/entities/use-edits";
import { useShown } from "~/pages/worlds/entities/use-shown";

interface NewEntityProps {
  world: World;
  edits: Edits;
  draft: Draft;
  onClose: () => void;
  onAdded: (address: { type: string; entity: string }) => void;
}

const LOOKED_AT = 50;

/** An entity to be added, with the members that its kind has. */
export function NewEntity({ world, edits, draft, onClose, onAdded }: NewEntityProps) {
  const pane = useShown<HTMLElement>();
  const first = useRef<HTMLInputElement>(null);
  useEffect(() => first.current?.focus(), []);
  const [type, setType] = useState(draft.type);
  const [id, setId] = useState("");
  const [asked, setAsked] = useState(false);
  const alike = useMemo(
    () =>
      Object.entries(Object.hasOwn(world.initial_state, type) ? (world.initial_state[type] ?? {}) : {}).slice(
        0,
        LOOKED_AT,
      ),
    [world, type],
  );
  const idField = idFieldOf(alike);
  const [fields, setFields] = useState<Fields>(() => draft.fields ?? emptyLike(alike[0]?.[1] ?? {}));
  const stored = entityIn(world.initial_state, type, id);
  const edit = editOf(edits.list, type, id);
  const taken = (edit ? edit.after : stored) !== null;
  const fault = id === "" ? "An entity needs an id." : taken ? `There is ${type} ${id} already.` : null;

  function add() {
    setAsked(true);
    if (type === "" || fault !== null) return;
    const named = idField === null ? fields : { ...fields, [idField]: idValue(alike[0]?.[1][idField], id) };
    edits.put({ entity_type: type, id, before: stored, after: named });
    onAdded({ type, entity: id });
  }

  return (
    <section ref={pane} className={classes.pane} aria-label="New entity">
      <header className={classes.paneHead}>
        <h2 className={classes.paneId}>{draft.fields ? "A copy" : "New entity"}</h2>
        <ActionIcon variant="subtle" color="gray" aria-label="Close the new entity" onClick={onClose}>
          <IconX size={16} />
        </ActionIcon>
      </header>
      <Stack gap="xs" className={classes.paneBody}>
        <Autocomplete
          size="xs"
          label="Type"
          data={Object.keys(world.entity_counts).sort()}
          value={type}
          onChange={setType}
          error={asked && type === "" ? "An entity needs a type." : null}
          spellCheck={false}
        />
        <TextInput
          size="xs"
          label="Id"
          description={idField === null ? undefined : `Goes into ${idField} as well.`}
          inputWrapperOrder={["label", "input", "error", "description"]}
          value={id}
          onChange={({ currentTarget }) => setId(currentTarget.value)}
          error={(asked || taken) && fault}
          placeholder={alike[0]?.[0] === undefined ? "" : `such as ${alike[0][0]}`}
          spellCheck={false}
          ref={first}
        />
      </Stack>
      <Editor
        key={String(draft.fields !== null)}
        fields={without(fields, idField)}
        stored={null}
        onChange={(next) => setFields(next)}
      />
      <Group justify="flex-end" gap="xs" className={classes.paneBody} pt={0}>
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button onClick={add}>Add to the changes</Button>
      </Group>
    </section>
  );
}

/** The members of one such entity with values that say nothing, each of its kind. */
function emptyLike(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, emptyOf(value)]));
}

function emptyOf(value: unknown): unknown {
  if (typeof value === "string") return "";
  if (typeof value === "number" || typeof value === "bigint") return 0;
  if (typeof value === "boolean") return false;
  return Array.isArray(value) ? [] : value === null ? null : {};
}

/** Ids are texts; where the member that repeats them is a number, so is this one's. */
function idValue(like: unknown, id: string): unknown {
  return typeof like === "number" && String(Number(id)) === id ? Number(id) : id;
}
