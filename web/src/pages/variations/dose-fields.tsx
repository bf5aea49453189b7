import { ActionIcon, Button, Group, Stack, Textarea, Tooltip } from "@mantine/core";
import { IconPlus, IconX } from "@tabler/icons-react";
import { type FieldError, messageAt } from "~/api/problem";
import type { Dose } from "~/api/variations";
import classes from "~/pages/variations/variations.module.css";

const MOST_WORDINGS = 20;
const LONGEST = 10_000;

interface DoseFieldsProps {
  dose: Dose;
  texts: string[];
  /** By the place of a text among those that are written. */
  errors: FieldError[];
  onChange: (texts: string[]) => void;
}

/** The wordings of one dose. */
export function DoseFields({ dose, texts, errors, onChange }: DoseFieldsProps) {
  const rest = (index: number) => texts.filter((_, each) => each !== index);
  return (
    <fieldset className={classes.fieldset}>
      <legend>{dose}</legend>
      <Stack gap="xs">
        {texts.map((text, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a text is known by its place
          <Group key={index} gap="xs" wrap="nowrap" align="flex-start">
            <Textarea
              size="sm"
              aria-label={`${dose}, wording ${index + 1}`}
              autosize
              minRows={2}
              maxRows={10}
              maxLength={LONGEST}
              value={text}
              onChange={({ currentTarget }) =>
                onChange(texts.map((each, place) => (place === index ? currentTarget.value : each)))
              }
              error={text.trim() === "" ? null : messageAt(errors, sentPlace(texts, index))}
              className={classes.grow ?? ""}
            />
            {texts.length > 1 && (
              <Tooltip label="Remove this wording">
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  aria-label={`Remove ${dose}, wording ${index + 1}`}
                  onClick={() => onChange(rest(index))}
                >
                  <IconX size={15} />
                </ActionIcon>
              </Tooltip>
            )}
          </Group>
        ))}
        {texts.length < MOST_WORDINGS && (
          <Button
            variant="default"
            size="compact-xs"
            leftSection={<IconPlus size={13} aria-hidden />}
            onClick={() => onChange([...texts, ""])}
            className={classes.add ?? ""}
          >
            Add a wording
          </Button>
        )}
      </Stack>
    </fieldset>
  );
}

/** Blank texts are not sent, so the server counts without them. */
function sentPlace(texts: string[], index: number): number {
  return texts.slice(0, index).filter((text) => text.trim() !== "").length;
}
