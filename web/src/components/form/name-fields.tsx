import { Textarea, TextInput } from "@mantine/core";
import { type FieldError, messageAt } from "~/api/problem";

interface NameFieldsProps {
  draft: { name: string; description: string };
  change: (part: { name?: string; description?: string }) => void;
  errors: FieldError[];
  placeholder: string;
  minRows: number;
  maxRows: number;
}

/** What something is called, and what there is to know about it. */
export function NameFields({ draft, change, errors, placeholder, minRows, maxRows }: NameFieldsProps) {
  return (
    <>
      <TextInput
        label="Name"
        required
        withAsterisk={false}
        maxLength={255}
        placeholder={placeholder}
        value={draft.name}
        onChange={({ currentTarget }) => change({ name: currentTarget.value })}
        error={messageAt(errors, "name")}
        maw={640}
      />
      <Textarea
        size="sm"
        label="Description"
        autosize
        minRows={minRows}
        maxRows={maxRows}
        maxLength={5000}
        value={draft.description}
        onChange={({ currentTarget }) => change({ description: currentTarget.value })}
        error={messageAt(errors, "description")}
        maw={640}
      />
    </>
  );
}
