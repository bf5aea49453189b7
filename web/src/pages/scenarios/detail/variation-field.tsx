import { Select } from "@mantine/core";
import type { Variation } from "~/api/variations";
import { TextLink } from "~/components/page";

const BASELINE = "baseline";

interface VariationFieldProps {
  variations: Variation[];
  /** Null for a baseline. */
  value: string | null;
  onChange: (name: string | null) => void;
  error: string | null;
}

export function VariationField({ variations, value, onChange, error }: VariationFieldProps) {
  const named = (list: Variation[]) => list.map(({ name }) => name);
  const own = named(variations.filter(({ built_in }) => !built_in));
  const chosen = variations.find(({ name }) => name === value);
  return (
    <Select
      label="Pressure"
      allowDeselect={false}
      data={[
        { value: BASELINE, label: "None: a baseline" },
        ...(own.length > 0 ? [{ group: "Your own", items: own }] : []),
        { group: "Built in", items: named(variations.filter(({ built_in }) => built_in)) },
      ]}
      value={value ?? BASELINE}
      onChange={(name) => onChange(name === BASELINE ? null : name)}
      error={error}
      description={
        chosen && (
          <>
            {chosen.description}{" "}
            <TextLink to="/variations" search={{ show: chosen.name }} size="xs">
              Its texts
            </TextLink>
          </>
        )
      }
      inputWrapperOrder={["label", "input", "error", "description"]}
    />
  );
}
