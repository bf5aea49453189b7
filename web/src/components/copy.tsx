import { ActionIcon, Button, CopyButton, Tooltip } from "@mantine/core";
import { IconCheck, IconCopy } from "@tabler/icons-react";

/** A small button that copies; with `label` it has a text. */
export function Copy({ value, what, label }: { value: string; what: string; label?: string }) {
  return (
    <CopyButton value={value} timeout={1500}>
      {({ copied, copy }) => {
        const icon = copied ? <IconCheck size={14} /> : <IconCopy size={14} />;
        const name = copied ? "Copied" : `Copy ${what}`;
        return label ? (
          <Button variant="subtle" size="compact-xs" leftSection={icon} onClick={copy}>
            {copied ? "Copied" : label}
          </Button>
        ) : (
          <Tooltip label={name}>
            <ActionIcon variant="subtle" color="gray" size="sm" onClick={copy} aria-label={name}>
              {icon}
            </ActionIcon>
          </Tooltip>
        );
      }}
    </CopyButton>
  );
}
