import { Box, Input, Skeleton, Textarea } from "@mantine/core";
import { lazy, Suspense, useId } from "react";
import type { CodeEditorProps } from "~/components/code-editor";

const CodeEditor = lazy(() => import("~/components/code-editor"));

interface JsonEditorProps extends Omit<CodeEditorProps, "labelledBy"> {
  label: string;
  description?: string;
  /** Shown below; what has a place in the document is marked there by `faults`. */
  error?: string | null;
}

/** A JSON document to write: highlighted, folded, checked as you type. */
export function JsonEditor({ label, description, error, ...editor }: JsonEditorProps) {
  const id = useId();
  return (
    <Box>
      <Input.Label component="div" id={id}>
        {label}
      </Input.Label>
      {description && <Input.Description mb={4}>{description}</Input.Description>}
      <Suspense
        fallback={editor.autoFocus ? <Plain labelledBy={id} {...editor} /> : <Skeleton height={120} />}
      >
        <CodeEditor labelledBy={id} {...editor} />
      </Suspense>
      {error && (
        <Input.Error mt={4} role="alert">
          {error}
        </Input.Error>
      )}
    </Box>
  );
}

/** Takes what is typed while the editor is still being fetched. */
function Plain({ value, onChange, labelledBy, minHeight }: CodeEditorProps) {
  return (
    <Textarea
      data-autofocus
      aria-labelledby={labelledBy}
      value={value}
      onChange={(event) => onChange?.(event.currentTarget.value)}
      styles={{ input: { minHeight, fontFamily: "var(--mantine-font-family-monospace)" } }}
    />
  );
}
