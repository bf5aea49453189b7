import { Alert, Button, Group, Modal, Stack, Text, UnstyledButton } from "@mantine/core";
import { IconAlertTriangle, IconHistory } from "@tabler/icons-react";
import { useState } from "react";
import { counted } from "~/components/counted";
import { ChangedEntity } from "~/components/ledger/changed-entity";
import {
  type Edit,
  type EditKind,
  editOf,
  kindOfEdit,
  operationsOf,
  touchedMembers,
} from "~/pages/worlds/entities/edits";
import classes from "~/pages/worlds/entities/entities.module.css";
import type { Edits, Meanwhile } from "~/pages/worlds/entities/use-edits";

const MOST_SHOWN = 6;

interface EditsBarProps {
  edits: Edits;
  onShow: (edit: Edit) => void;
}

/** What is not saved yet, why the last attempt was refused, and the buttons; gone when there is nothing to save. */
export function EditsBar({ edits, onShow }: EditsBarProps) {
  const [reviewing, setReviewing] = useState(false);
  if (edits.list.length === 0) return null;
  return (
    <section className={classes.bar} aria-label="Unsaved changes">
      {edits.meanwhile ? (
        <Changed edits={edits} meanwhile={edits.meanwhile} />
      ) : (
        <Refused edits={edits} onShow={onShow} />
      )}
      <Group justify="space-between" gap="xs">
        <Text size="sm" role="status">
          <b>{counted(edits.list.length, "unsaved change")}</b>{" "}
          <Text span inherit c="var(--ody-text-dim)">
            {inWords(edits.list)}
          </Text>
        </Text>
        <Group gap="xs">
          <Button variant="subtle" color="gray" onClick={edits.discard}>
            Discard
          </Button>
          <Button variant="default" onClick={() => setReviewing(true)}>
            Review
          </Button>
          <Button onClick={edits.save} loading={edits.saving} disabled={edits.meanwhile !== null}>
            Save to the world
          </Button>
        </Group>
      </Group>
      <Modal opened={reviewing} onClose={() => setReviewing(false)} title="Unsaved changes" size="lg">
        <Stack gap="xs">
          {edits.list.map((edit) => (
            <Stack key={`${edit.entity_type} ${edit.id}`} gap={2}>
              <Text size="xs" c="var(--ody-text-dim)">
                {edit.entity_type}
              </Text>
              <ChangedEntity change={changeOf(edit)} />
            </Stack>
          ))}
        </Stack>
      </Modal>
    </section>
  );
}

function changeOf(edit: Edit) {
  return { ...edit, kind: kindOfEdit(edit), fields: touchedMembers(edit) };
}

function inWords(edits: Edit[]): string {
  const kinds: EditKind[] = ["added", "changed", "removed"];
  return kinds
    .map((kind) => [kind, edits.filter((edit) => kindOfEdit(edit) === kind).length] as const)
    .filter(([, count]) => count > 0)
    .map(([kind, count]) => `${count} ${kind}`)
    .join(", ");
}

function Refused({ edits: { refused, list }, onShow }: EditsBarProps) {
  if (refused === null || refused.code === "world_changed") return null;
  const operations = operationsOf(list);
  const faults = refused.errors.slice(0, MOST_SHOWN).map(({ loc, msg }) => {
    const operation = operations[Number(loc[1])];
    const edit = operation && editOf(list, operation.entity_type, operation.id);
    return { msg, edit, place: loc.slice(2).join(".") };
  });
  return (
    <Alert role="alert" color="red" py="xs" icon={<IconAlertTriangle size={16} />} title="Not saved">
      {faults.length === 0 && refused.detail}
      {faults.map(({ msg, edit, place }) => (
        <Text size="sm" key={`${edit?.id} ${place} ${msg}`} style={{ overflowWrap: "anywhere" }}>
          {edit && (
            <UnstyledButton className={classes.link} onClick={() => onShow(edit)}>
              {edit.entity_type} {edit.id}
            </UnstyledButton>
          )}{" "}
          {msg}
        </Text>
      ))}
    </Alert>
  );
}

function Changed({ edits, meanwhile }: { edits: Edits; meanwhile: Meanwhile }) {
  const { changes } = meanwhile;
  const mine = counted(edits.list.length, "change");
  return (
    <Alert
      role="alert"
      color="yellow"
      py="xs"
      icon={<IconHistory size={16} />}
      title="Not saved: the world has changed since you opened it"
    >
      <Text size="sm">
        {counted(changes.length, "entity is", "entities are")} other than you saw. Your {mine} are all here
        still.
      </Text>
      <ul className={classes.changes}>
        {changes.slice(0, MOST_SHOWN).map((change) => (
          <li key={`${change.entity_type} ${change.id}`}>
            <span className={classes.paneId}>
              {change.entity_type} {change.id}
            </span>{" "}
            {kindOfEdit(change)}
            {kindOfEdit(change) === "changed" && `: ${touchedMembers(change).join(", ")}`}
            {editOf(edits.list, change.entity_type, change.id) && <b> – you changed it too</b>}
          </li>
        ))}
        {changes.length > MOST_SHOWN && <li>and {changes.length - MOST_SHOWN} more</li>}
      </ul>
      <Group gap="xs" mt="xs">
        <Button onClick={edits.reload}>Reload and keep my {mine}</Button>
        <Button variant="default" onClick={edits.discard}>
          Reload without them
        </Button>
      </Group>
    </Alert>
  );
}
