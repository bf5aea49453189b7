import { Button, Group, Loader, Text } from "@mantine/core";
import { IconAlertTriangle, IconCheck } from "@tabler/icons-react";
import type { Problem } from "~/api/problem";
import { toneColor } from "~/components/badges";
import { Refusal } from "~/components/refusal";
import classes from "~/pages/agents/form/form.module.css";

interface SaveBarProps {
  problems: number;
  /** Names of fields that are still blank. */
  needed: string[];
  checking: boolean;
  /** The check could not be made. */
  failure: Problem | null;
  refused: Problem | null;
  /** Undefined when this agent cannot be published. */
  onPublish: (() => void) | undefined;
  onDraft: () => void;
  saving: "draft" | "publish" | null;
  publishLabel: string;
  draftLabel: string;
  onJump: () => void;
  onCancel: () => void;
}

export function SaveBar(props: SaveBarProps) {
  const { refused, onPublish, onDraft, saving, publishLabel, draftLabel, onCancel } = props;
  return (
    <div className={classes.bar}>
      {refused && refused.status !== 422 && <Refusal error={refused} />}
      <div aria-live="polite">
        <State {...props} />
      </div>
      <Group gap="xs">
        <Button variant="subtle" color="gray" onClick={onCancel}>
          Cancel
        </Button>
        <Button
          variant={onPublish ? "default" : "filled"}
          loading={saving === "draft"}
          disabled={saving !== null}
          onClick={onDraft}
        >
          {draftLabel}
        </Button>
        {onPublish && (
          <Button loading={saving === "publish"} disabled={saving !== null} onClick={onPublish}>
            {publishLabel}
          </Button>
        )}
      </Group>
    </div>
  );
}

function State({ problems, needed, checking, failure, onJump }: SaveBarProps) {
  if (problems > 0) {
    return (
      <Button
        variant="subtle"
        color="red"
        size="compact-sm"
        px={4}
        c={toneColor("red")}
        leftSection={<IconAlertTriangle size={15} />}
        onClick={onJump}
      >
        {problems === 1 ? "1 problem" : `${problems} problems`}: go to the first
      </Button>
    );
  }
  if (failure) {
    return (
      <Text size="xs" c={toneColor("amber")}>
        Not checked: {failure.detail}
      </Text>
    );
  }
  if (needed.length > 0) {
    return (
      <Text size="xs" c="var(--ody-text-dim)">
        Still needed: {needed.join(", ")}
      </Text>
    );
  }
  return checking ? (
    <Group gap={6} c="var(--ody-text-dim)">
      <Loader size={12} />
      <Text size="xs">Checking</Text>
    </Group>
  ) : (
    <Group gap={4} c={toneColor("green")}>
      <IconCheck size={14} aria-hidden />
      <Text size="xs">Checked, no problems</Text>
    </Group>
  );
}
