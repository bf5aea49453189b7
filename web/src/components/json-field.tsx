import type { FieldError } from "~/api/problem";
import type { CodeEditorProps } from "~/components/code-editor";
import { JsonEditor } from "~/components/json-editor";

const MOST_SHOWN = 4;

interface JsonFieldProps extends Omit<CodeEditorProps, "labelledBy" | "faults"> {
  label: string;
  description?: string;
  /** By path inside this document: marked at their places, and told below. */
  errors: FieldError[];
}

/** A JSON document in a form, with what is wrong with it in words as well. */
export function JsonField({ errors, ...editor }: JsonFieldProps) {
  const told = errors
    .slice(0, MOST_SHOWN)
    .map(({ loc, msg }) => (loc.length > 0 ? `${loc.join(".")}: ${msg}` : msg));
  if (errors.length > MOST_SHOWN) told.push(`and ${errors.length - MOST_SHOWN} more`);
  return <JsonEditor faults={errors} error={told.join("\n") || null} {...editor} />;
}
