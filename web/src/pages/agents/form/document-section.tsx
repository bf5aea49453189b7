import { useMemo } from "react";
import { errorsAt, type FieldError } from "~/api/problem";
import { FormSection } from "~/components/form/form-section";
import { JsonEditor } from "~/components/json-editor";
import { FaultList } from "~/pages/agents/form/fault-list";
import { inside } from "~/pages/agents/form/faults";
import type { JsonText } from "~/pages/agents/form/json-text";

interface DocumentSectionProps {
  title: string;
  about: string;
  label: string;
  placeholder?: string;
  draft: JsonText;
  onChange: (text: string) => void;
  faults: FieldError[];
  /** The member of the registration this document is. */
  at: string;
}

/** A member that is written as JSON, with its faults in the text and below it. */
export function DocumentSection(props: DocumentSectionProps) {
  const { title, about, label, placeholder = "", draft, onChange, faults, at } = props;
  const here = useMemo(() => errorsAt(faults, at).map(inside(1)), [faults, at]);
  return (
    <FormSection title={title} about={about}>
      <JsonEditor
        label={label}
        placeholder={placeholder}
        value={draft.text}
        onChange={onChange}
        faults={here}
      />
      <FaultList faults={here} />
    </FormSection>
  );
}
