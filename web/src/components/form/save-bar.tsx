import { Button, Group, Text } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { toneColor } from "~/components/badges";
import { counted } from "~/components/counted";
import classes from "~/components/form/form.module.css";
import { Refusal } from "~/components/refusal";

interface SaveBarProps {
  problems: number;
  /** What the server said that is no field's. */
  refused: Error | null;
  /** What there is to know when nothing is wrong. */
  note: string;
  label: string;
  saving: boolean;
  onSave: () => void;
  onCancel: () => void;
  onJump: () => void;
}

export function SaveBar({ problems, refused, note, label, saving, onSave, onCancel, onJump }: SaveBarProps) {
  return (
    <div className={classes.bar}>
      <Refusal error={refused} title="Not saved" />
      <div aria-live="polite">
        {problems > 0 ? (
          <Button
            variant="subtle"
            size="compact-sm"
            px={4}
            color="red"
            c={toneColor("red")}
            leftSection={<IconAlertTriangle size={15} />}
            onClick={onJump}
          >
            {counted(problems, "problem")}: go to the first
          </Button>
        ) : (
          <Text size="xs" c="var(--ody-text-dim)">
            {note}
          </Text>
        )}
      </div>
      <Group gap="xs" ml="auto">
        <Button variant="subtle" color="gray" onClick={onCancel}>
          Cancel
        </Button>
        <Button loading={saving} onClick={onSave}>
          {label}
        </Button>
      </Group>
    </div>
  );
}
