import { Button, Menu, Text } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import type { ReactNode } from "react";

interface TemplateMenuProps {
  label: string;
  disabled: boolean;
  maxHeight: number;
  /** Items, in whatever groups. */
  children: ReactNode;
}

/** Below a field: things to begin with. */
export function TemplateMenu({ label, disabled, maxHeight, children }: TemplateMenuProps) {
  return (
    <Menu width={300} position="bottom-start" withInitialFocusPlaceholder={false}>
      <Menu.Target>
        <Button
          variant="default"
          size="compact-xs"
          leftSection={<IconPlus size={13} aria-hidden />}
          disabled={disabled}
        >
          {label}
        </Button>
      </Menu.Target>
      <Menu.Dropdown mah={maxHeight} style={{ overflowY: "auto" }}>
        {children}
      </Menu.Dropdown>
    </Menu>
  );
}

interface TemplateItemProps {
  title: string;
  help: string;
  /** The text with the template in it; null where it cannot be added. */
  added: () => string | null;
  onChange: (text: string) => void;
}

export function TemplateItem({ title, help, added, onChange }: TemplateItemProps) {
  return (
    <Menu.Item
      onClick={() => {
        const next = added();
        if (next !== null) onChange(next);
      }}
    >
      {title}
      <Text size="xs" c="var(--ody-text-dim)">
        {help}
      </Text>
    </Menu.Item>
  );
}
