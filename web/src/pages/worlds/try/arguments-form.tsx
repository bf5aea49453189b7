import {
  Group,
  Input,
  NativeSelect,
  SegmentedControl,
  Stack,
  Text,
  Textarea,
  TextInput,
} from "@mantine/core";
import { writeJson } from "~/api/json";
import { errorsBelow, type FieldError, messageAt } from "~/api/problem";
import { JsonField } from "~/components/json-field";
import { isObject, readStrict } from "~/components/rules/json-text";
import {
  type ArgumentField,
  type Texts,
  textOf,
  textsOf,
  type WrittenArguments,
  writtenArguments,
} from "~/pages/worlds/try/arguments";
import classes from "~/pages/worlds/try/try.module.css";

export type ArgumentsDraft = { mode: "form"; texts: Texts } | { mode: "json"; text: string };

/** A draft that holds these arguments, as a form where it can show them. */
export function draftOf(fields: ArgumentField[], values: unknown): ArgumentsDraft {
  const texts = textsOf(fields, values);
  return texts !== null && fields.length > 0
    ? { mode: "form", texts }
    : { mode: "json", text: writeJson(values) };
}

export function readArguments(fields: ArgumentField[], draft: ArgumentsDraft): WrittenArguments {
  if (draft.mode === "form") return writtenArguments(fields, draft.texts);
  const value = readStrict(draft.text) ?? {};
  if (isObject(value)) return { values: value, faults: [] };
  return { values: {}, faults: [{ loc: [], msg: "arguments are an object" }] };
}

interface ArgumentsFormProps {
  fields: ArgumentField[];
  draft: ArgumentsDraft;
  onChange: (draft: ArgumentsDraft) => void;
  /** By path inside the arguments. */
  errors: FieldError[];
}

export function ArgumentsForm({ fields, draft, onChange, errors }: ArgumentsFormProps) {
  const { values, faults } = readArguments(fields, draft);
  const asForm = faults.length > 0 && draft.mode === "json" ? null : textsOf(fields, values);
  return (
    <Stack gap="xs">
      <Group justify="space-between" gap="xs">
        <Text size="sm" fw={500}>
          Arguments
        </Text>
        {fields.length > 0 && (
          <SegmentedControl
            size="xs"
            aria-label="How to write the arguments"
            value={draft.mode}
            onChange={(mode) =>
              onChange(
                mode === "json"
                  ? { mode: "json", text: writeJson(values) }
                  : { mode: "form", texts: asForm ?? {} },
              )
            }
            data={[
              { value: "form", label: "Form", disabled: asForm === null },
              { value: "json", label: "JSON" },
            ]}
          />
        )}
      </Group>
      {draft.mode === "json" ? (
        <JsonField
          label="Arguments as JSON"
          value={draft.text}
          onChange={(text) => onChange({ mode: "json", text })}
          errors={[...faults, ...errors]}
          placeholder="{}"
          minHeight={80}
          maxHeight={320}
        />
      ) : (
        <>
          {fields.map((field) => (
            <Argument
              key={field.name}
              field={field}
              text={textOf(draft.texts, field.name)}
              onChange={(text) => onChange({ mode: "form", texts: { ...draft.texts, [field.name]: text } })}
              error={errorFor([...faults, ...errors], field.name)}
            />
          ))}
          {errors
            .filter(({ loc }) => loc.length === 0)
            .map(({ msg }) => (
              <Input.Error key={msg} role="alert">
                {msg}
              </Input.Error>
            ))}
        </>
      )}
    </Stack>
  );
}

function errorFor(errors: FieldError[], name: string): string | null {
  const exact = messageAt(errors, name);
  const [inner] = errorsBelow(errors, name);
  return exact ?? (inner ? `${inner.loc.join(".")}: ${inner.msg}` : null);
}

interface ArgumentProps {
  field: ArgumentField;
  text: string;
  onChange: (text: string) => void;
  error: string | null;
}

function Argument({ field, text, onChange, error }: ArgumentProps) {
  const shared = {
    size: "xs" as const,
    label: field.name,
    description: field.description || undefined,
    descriptionProps: { className: classes.description ?? "" },
    classNames: { label: classes.argument ?? "" },
    withAsterisk: field.required,
    error,
    value: text,
  };
  const options = field.kind === "boolean" ? [true, false] : field.choices;
  if (field.kind === "boolean" || field.kind === "choice") {
    return (
      <NativeSelect
        {...shared}
        data={[
          { value: "", label: "not given" },
          ...options.map((choice) => ({
            value: writeJson(choice, 0),
            label: typeof choice === "string" ? choice : writeJson(choice, 0),
          })),
        ]}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
      />
    );
  }
  if (field.kind === "json") {
    return (
      <Textarea
        {...shared}
        autosize
        minRows={1}
        maxRows={8}
        placeholder={field.type === "array" ? "[] as JSON" : field.type === "object" ? "{} as JSON" : "JSON"}
        classNames={{ label: classes.argument ?? "", input: classes.code ?? "" }}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
        spellCheck={false}
      />
    );
  }
  return (
    <TextInput
      {...shared}
      placeholder={field.kind === "text" ? "" : field.type}
      inputMode={field.kind === "text" ? "text" : "decimal"}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
      spellCheck={false}
    />
  );
}
