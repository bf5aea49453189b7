import { Alert, Button, Group, Modal, Radio, Stack, Text } from "@mantine/core";
import { IconCheck } from "@tabler/icons-react";
import { useMemo, useState } from "react";
import { ChooseFile, FileDrop, useFile } from "~/components/file-drop";
import { JsonEditor } from "~/components/json-editor";
import type { ToolDraft } from "~/pages/agents/form/draft";
import { nameOf, type Recognised, recognise } from "~/pages/agents/form/recognise";

interface ImportDialogProps {
  opened: boolean;
  onClose: () => void;
  /** Held by the form, so that closing the dialog loses nothing. */
  text: string;
  onText: (text: string) => void;
  tools: ToolDraft[];
  onFill: (found: Recognised, merge: boolean) => void;
}

export function ImportDialog({ opened, onClose, text, onText, tools, onFill }: ImportDialogProps) {
  const [merge, setMerge] = useState(false);
  const file = useFile(write);
  const found = useMemo(() => recognise(text), [text]);
  const recognised = found !== null && "what" in found ? found : null;
  const problem = file.problem ?? (found !== null && "problem" in found ? found.problem : null);

  function write(next: string) {
    file.forget();
    onText(next);
  }

  return (
    <Modal opened={opened} onClose={onClose} title="Import JSON" size="lg">
      <FileDrop file={file}>
        <Stack gap="sm">
          <Text size="sm" c="var(--ody-text-dim)">
            A whole registration such as agent.json, or a list of tools in our shape, OpenAI's, Anthropic's or
            MCP's. Paste it, drop a file here, or{" "}
            <ChooseFile file={file} of="json">
              choose a file
            </ChooseFile>
          </Text>
          <JsonEditor label="JSON to import" value={text} onChange={write} minHeight={180} maxHeight={320} />
          <div aria-live="polite">
            {problem && (
              <Alert color="red" p="xs">
                <Text size="sm" style={{ overflowWrap: "anywhere" }}>
                  {problem}
                </Text>
              </Alert>
            )}
            {recognised && problem === null && <Summary found={recognised} />}
          </div>
          {recognised?.tools && tools.length > 0 && (
            <Radio.Group
              label={`The form holds ${tools.length === 1 ? "1 tool" : `${tools.length} tools`} already`}
              value={merge ? "merge" : "replace"}
              onChange={(choice) => setMerge(choice === "merge")}
            >
              <Group gap="md" mt={4}>
                <Radio value="replace" label="Replace them" />
                <Radio value="merge" label={mergeLabel(tools, recognised.tools)} />
              </Group>
            </Radio.Group>
          )}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button
              disabled={recognised === null || problem !== null}
              onClick={() => recognised && onFill(recognised, merge)}
            >
              Fill the form
            </Button>
          </Group>
        </Stack>
      </FileDrop>
    </Modal>
  );
}

function Summary({ found }: { found: Recognised }) {
  return (
    <Alert color="teal" p="xs" icon={<IconCheck size={16} />}>
      <Text size="sm" fw={600} style={{ overflowWrap: "anywhere" }}>
        {found.what}
      </Text>
      {found.details.length > 0 && (
        <Text size="xs" ff="monospace" lineClamp={3} style={{ overflowWrap: "anywhere" }}>
          {found.details.join(", ")}
        </Text>
      )}
      {found.unused.length > 0 && (
        <Text size="xs" mt={4} style={{ overflowWrap: "anywhere" }}>
          Not used: {found.unused.join(", ")}
        </Text>
      )}
    </Alert>
  );
}

function mergeLabel(tools: ToolDraft[], added: unknown[]): string {
  const names = new Set(tools.map((tool) => nameOf(tool.value)));
  const same = added.filter((tool) => names.has(nameOf(tool))).length;
  return same === 0 ? "Add to them" : `Add to them, ${same} of the same name replaced`;
}
