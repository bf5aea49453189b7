import { Button, Group } from "@mantine/core";
import { IconWand } from "@tabler/icons-react";
import { writeJson } from "~/api/json";
import type { FieldError } from "~/api/problem";
import { exampleState } from "~/components/example-state";
import { JsonField } from "~/components/json-field";
import { isObject, readStrict } from "~/components/rules/json-text";

interface InitialStateFieldProps {
  text: string;
  onChange: (text: string) => void;
  errors: FieldError[];
  ledgerSchema: unknown;
}

export function InitialStateField({ text, onChange, errors, ledgerSchema }: InitialStateFieldProps) {
  const example = exampleState(ledgerSchema);
  const there = readStrict(text) ?? {};
  const missing =
    example && isObject(there) ? Object.entries(example).filter(([type]) => !Object.hasOwn(there, type)) : [];
  return (
    <div data-field="initial_state">
      <JsonField
        label="Initial state"
        description="Entities by type and id: what the simulated world holds when the run begins."
        value={text}
        onChange={onChange}
        errors={errors}
        placeholder={'{"order": {"ord_7": {"order_id": "ord_7", "total": 120}}}'}
        minHeight={96}
        maxHeight={360}
      />
      {missing.length > 0 && isObject(there) && (
        <Group mt={6} ml={-6}>
          <Button
            size="compact-xs"
            variant="subtle"
            leftSection={<IconWand size={13} />}
            onClick={() => onChange(writeJson({ ...there, ...Object.fromEntries(missing) }))}
          >
            {text.trim() === ""
              ? "Insert an example"
              : `Add an example of ${missing.map(([type]) => type).join(", ")}`}
          </Button>
        </Group>
      )}
    </div>
  );
}
