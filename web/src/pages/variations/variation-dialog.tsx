import { Button, Group, Modal, Stack, Text, Textarea, TextInput } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useQueryClient } from "@tanstack/react-query";
import type { FormEvent } from "react";
import { errorsBelow, messageAt } from "~/api/problem";
import { changeVariation, createVariation, DOSES, RECORDS, variationsQuery } from "~/api/variations";
import { useDraftForm } from "~/components/form/use-draft-form";
import { Refusal } from "~/components/refusal";
import { DoseFields } from "~/pages/variations/dose-fields";
import { bodyOf, type Draft } from "~/pages/variations/draft";

interface Editing {
  /** Null for a new one. */
  id: string | null;
  draft: Draft;
}

interface VariationDialogProps {
  editing: Editing | null;
  onClose: () => void;
}

/** A pressure of one's own, new or changed. */
export function VariationDialog({ editing, onClose }: VariationDialogProps) {
  return (
    <Modal
      opened={editing !== null}
      onClose={onClose}
      title={editing?.id === null ? "New variation" : "Edit this variation"}
      size="xl"
      closeOnClickOutside={false}
      closeOnEscape={false}
    >
      {editing && <VariationForm editing={editing} onClose={onClose} />}
    </Modal>
  );
}

function VariationForm({ editing, onClose }: { editing: Editing; onClose: () => void }) {
  const client = useQueryClient();
  const { draft, change, problem, saving, submit } = useDraftForm({
    beginning: editing.draft,
    save: (written) =>
      editing.id === null ? createVariation(bodyOf(written)) : changeVariation(editing.id, bodyOf(written)),
    onSaved: ({ name }) => {
      void client.invalidateQueries({ queryKey: variationsQuery.queryKey });
      notifications.show({ message: `${name} is saved.` });
      onClose();
    },
  });
  const body = bodyOf(draft);
  const errors = problem?.errors ?? [];
  const unwritten = DOSES.filter((dose) => body.doses[dose].length === 0);

  function save(event: FormEvent) {
    event.preventDefault();
    submit();
  }

  return (
    <form onSubmit={save}>
      <Stack gap="md">
        <TextInput
          data-autofocus
          label="Name"
          description="As variation_type of a run has it: small letters, digits and _"
          placeholder="bribery"
          required
          withAsterisk={false}
          maxLength={64}
          value={draft.name}
          onChange={({ currentTarget }) => change({ name: currentTarget.value })}
          error={messageAt(errors, "name") ?? (problem?.code === "variation_exists" ? problem.detail : null)}
        />
        <Textarea
          size="sm"
          label="Description"
          placeholder="A reward is offered."
          autosize
          maxRows={6}
          maxLength={2000}
          value={draft.description}
          onChange={({ currentTarget }) => change({ description: currentTarget.value })}
          error={messageAt(errors, "description")}
        />
        <Text size="xs" c="var(--ody-text-dim)">
          The same pressure three times over, each time harder to resist, and each in as many wordings as you
          like: then a shift is the pressure’s, not that of a phrase. <code>{RECORDS}</code> stands for
          records ten times as long as the input. Placebos are made for you.
        </Text>
        {DOSES.map((dose) => (
          <DoseFields
            key={dose}
            dose={dose}
            texts={draft.doses[dose]}
            errors={errorsBelow(errors, "doses", dose)}
            onChange={(texts) => change({ doses: { ...draft.doses, [dose]: texts } })}
          />
        ))}
        {problem && errors.length === 0 && problem.code !== "variation_exists" && (
          <Refusal error={problem} title="Not saved" />
        )}
        <Group justify="flex-end" gap="xs">
          {unwritten.length > 0 && (
            <Text size="xs" c="var(--ody-text-dim)" mr="auto" role="status">
              Still needed: a wording that is {unwritten.join(", ")}
            </Text>
          )}
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={saving} disabled={draft.name === "" || unwritten.length > 0}>
            Save
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
