import { Button, Group, Modal, Stack, Text } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useMemo } from "react";
import { asProblem } from "~/api/problem";
import { importScenarios } from "~/api/scenarios";
import { counted } from "~/components/counted";
import { ChooseFile, FileDrop, type TakesFile } from "~/components/file-drop";
import { Refusal } from "~/components/refusal";
import { TableText } from "~/components/table-text";
import { EXAMPLE } from "~/pages/scenarios/import/example";
import { entriesIn, isJson } from "~/pages/scenarios/import/file-entries";
import { ImportFaults } from "~/pages/scenarios/import/import-faults";
import { ImportedList } from "~/pages/scenarios/import/imported-list";

export interface Taken {
  text: string;
  /** Of the file it comes from. */
  name: string | null;
}

interface ImportDialogProps {
  opened: boolean;
  onClose: () => void;
  file: TakesFile;
  taken: Taken;
  onTaken: (taken: Taken) => void;
}

/** Scenarios from a file or the clipboard; what is refused can be mended in place. */
export function ImportDialog({ opened, onClose, ...content }: ImportDialogProps) {
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title="Import scenarios"
      size="lg"
      closeOnClickOutside={content.taken.text === ""}
    >
      <ImportForm {...content} onClose={onClose} />
    </Modal>
  );
}

function ImportForm({ onClose, file, taken, onTaken }: Omit<ImportDialogProps, "opened">) {
  const client = useQueryClient();
  const entries = useMemo(() => entriesIn(taken.text), [taken.text]);
  const format = isJson(taken.text) ? "json" : "yaml";
  const take = useMutation({
    mutationFn: (text: string) => importScenarios(format, text),
    onSuccess: () => void client.invalidateQueries({ queryKey: ["scenarios"] }),
  });
  // An answer is about the text it was given to.
  const current = take.variables === taken.text ? take : null;
  const problem = current?.error ? asProblem(current.error) : null;

  if (current?.data) {
    return (
      <Stack gap="sm">
        <ImportedList imported={current.data} />
        <Group justify="flex-end">
          <Button onClick={onClose} data-autofocus>
            Done
          </Button>
        </Group>
      </Stack>
    );
  }
  return (
    <FileDrop file={file}>
      <Stack gap="sm">
        <Text size="sm" c="var(--ody-text-dim)">
          YAML or JSON, at most 1,000 scenarios. One with the id or the name of a scenario you have changes
          that one; the others are new. Paste it, drop a file here, or{" "}
          <ChooseFile file={file} of="yaml">
            choose a file
          </ChooseFile>
        </Text>
        <TableText
          label="Scenarios as YAML or JSON"
          text={taken.text}
          name={taken.name}
          placeholder={EXAMPLE}
          onChange={(text) => {
            file.forget();
            onTaken({ text, name: text === "" ? null : taken.name });
          }}
        />
        {file.problem && (
          <Text size="xs" c="var(--band-red)" role="alert">
            {file.problem}
          </Text>
        )}
        {problem && problem.errors.length > 0 ? (
          <ImportFaults errors={problem.errors} entries={entries} />
        ) : (
          <Refusal error={problem} title="Not imported" />
        )}
        <Group justify="space-between" gap="xs">
          {taken.text === "" ? (
            <Button variant="subtle" onClick={() => onTaken({ text: EXAMPLE, name: null })}>
              Begin with an example
            </Button>
          ) : (
            <Text size="xs" c="var(--ody-text-dim)" style={{ overflowWrap: "anywhere" }}>
              {taken.name ?? "Pasted"}, {format === "json" ? "JSON" : "YAML"}
            </Text>
          )}
          <Group gap="xs" ml="auto">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button
              disabled={taken.text.trim() === ""}
              loading={take.isPending}
              onClick={() => take.mutate(taken.text)}
            >
              {entries.length > 0 ? `Import ${counted(entries.length, "scenario")}` : "Import"}
            </Button>
          </Group>
        </Group>
      </Stack>
    </FileDrop>
  );
}
