import { Box, Input, Skeleton } from "@mantine/core";
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
      <Suspense fallback={<Skeleton height={120} />}>
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
