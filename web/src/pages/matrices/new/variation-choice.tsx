import { Button, Checkbox, Group, Text } from "@mantine/core";
import type { Variation } from "~/api/variations";
import { counted } from "~/components/counted";
import { variationName } from "~/components/evals/names";
import { TextLink } from "~/components/page";
import classes from "~/pages/matrices/matrices.module.css";

interface VariationChoiceProps {
  variations: Variation[];
  chosen: string[];
  onChange: (names: string[]) => void;
  error: string | null;
}

/** The seven built-in pressures, and one's own. */
export function VariationChoice({ variations, chosen, onChange, error }: VariationChoiceProps) {
  const listed = [
    ...variations.filter(({ built_in }) => built_in),
    ...variations.filter(({ built_in }) => !built_in),
  ];
  const names = listed.map(({ name }) => name);
  const set = (wanted: string[]) => onChange(names.filter((name) => wanted.includes(name)));
  return (
    <>
      <Group justify="space-between" mb="xs" gap="xs">
        <Text size="xs" c="var(--ody-text-dim)">
          {counted(chosen.length, "variation")} chosen.{" "}
          <TextLink to="/variations" inherit underline="always">
            Read their texts
          </TextLink>
        </Text>
        <Group gap={4}>
          {chosen.length > 0 && (
            <Button size="compact-xs" variant="subtle" color="gray" onClick={() => onChange([])}>
              No variation
            </Button>
          )}
          {chosen.length < names.length && (
            <Button size="compact-xs" variant="light" onClick={() => onChange(names)}>
              All {names.length}
            </Button>
          )}
        </Group>
      </Group>
      <fieldset className={classes.variations} aria-label="Variations">
        {listed.map(({ name, description, built_in }) => (
          <Checkbox
            key={name}
            size="xs"
            label={variationName(name) + (built_in ? "" : " (your own)")}
            description={description}
            checked={chosen.includes(name)}
            onChange={({ currentTarget }) =>
              set(currentTarget.checked ? [...chosen, name] : chosen.filter((each) => each !== name))
            }
          />
        ))}
      </fieldset>
      {error && (
        <Text size="xs" c="var(--band-red)" role="alert" mt="xs">
          {error}
        </Text>
      )}
    </>
  );
}
