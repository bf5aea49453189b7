import { Button, Code, Group, List, Text } from "@mantine/core";
import { useState } from "react";
import { writeJson } from "~/api/json";
import { errorsBelow, type FieldError } from "~/api/problem";
import { Fold } from "~/components/fold";
import { JsonEditor } from "~/components/json-editor";
import { jsonText } from "~/pages/agents/form/json-text";
import { ADAPTER_EXAMPLE } from "~/pages/agents/passthrough";

interface AdapterFieldProps {
  name: string;
  adapter: unknown;
  /** What is not JSON yet goes as the text it is, for the server to refuse. */
  onChange: (adapter: unknown) => void;
  faults: FieldError[];
}

/** The declaration that turns a live answer into ledger updates. */
export function AdapterField({ name, adapter, onChange, faults }: AdapterFieldProps) {
  const [text, setText] = useState(() => textOf(adapter));
  const { value, broken } = jsonText(text);
  // Changed below, in the JSON of the whole tool.
  const shown = broken === null && writeJson(value) !== writeJson(adapter) ? textOf(adapter) : text;

  function write(next: string) {
    setText(next);
    const read = jsonText(next);
    onChange(read.broken === null ? read.value : next);
  }

  return (
    <div>
      <JsonEditor
        label={`Ledger adapter of ${name}`}
        value={shown}
        onChange={write}
        faults={errorsBelow(faults, "ledger_adapter")}
        placeholder={writeJson(ADAPTER_EXAMPLE)}
        minHeight={90}
        maxHeight={260}
      />
      <Group gap="xs" mt={4}>
        {text.trim() === "" && (
          <Button variant="default" size="compact-xs" onClick={() => write(writeJson(ADAPTER_EXAMPLE))}>
            Begin with an example
          </Button>
        )}
        <Fold label="How an adapter is written">
          <List size="xs" maw={620}>
            <List.Item>
              <Code>op</Code> is add, update, remove or set_flag; <Code>entity_type</Code> is one of the
              ledger schema.
            </List.Item>
            <List.Item>
              <Code>id_from</Code> and the values of <Code>field_map</Code> are JSONPaths into the answer. An
              id that is not found writes nothing; a field that is not found is skipped.
            </List.Item>
            <List.Item>
              <Code>flags</Code> are templates: <Code>{"{name}"}</Code> is an argument of the call,{" "}
              <Code>{"{id}"}</Code> the id. One that cannot be filled is dropped.
            </List.Item>
          </List>
          <Text size="xs" c="var(--ody-text-dim)">
            Best effort: an adapter that does not match never fails the call; the trace says what it left out.
          </Text>
        </Fold>
      </Group>
    </div>
  );
}

function textOf(adapter: unknown): string {
  if (adapter === undefined || adapter === null) return "";
  return typeof adapter === "string" ? adapter : writeJson(adapter);
}
