import { Button, Group, Input, PasswordInput } from "@mantine/core";
import { ToneBadge } from "~/components/badges";

interface ApiKeyFieldProps {
  /** The end of the key that is stored; null when there is none. */
  hint: string | null;
  /** undefined: as it is; null: to be removed. */
  value: string | null | undefined;
  onChange: (value: string | null | undefined) => void;
  error: string | null;
}

/** The key can be written, never read. */
export function ApiKeyField({ hint, value, onChange, error }: ApiKeyFieldProps) {
  const about = "Kept encrypted and never shown again. It belongs to the host it was given for.";
  if (hint === null || typeof value === "string") {
    return (
      <Group align="flex-end" gap="xs" wrap="nowrap">
        <PasswordInput
          size="sm"
          flex={1}
          label="API key"
          description={hint === null ? `${about} Blank: the server needs none.` : about}
          autoComplete="off"
          value={value ?? ""}
          onChange={({ currentTarget }) => onChange(currentTarget.value || (hint === null ? undefined : ""))}
          error={error}
        />
        {hint !== null && (
          <Button variant="default" onClick={() => onChange(undefined)}>
            Keep {hint}
          </Button>
        )}
      </Group>
    );
  }
  return (
    <Input.Wrapper label="API key" labelElement="div" description={about} error={error}>
      <Group gap="xs" mih={34}>
        {value === null ? (
          <>
            <ToneBadge tone="amber">removed when you save</ToneBadge>
            <Button variant="subtle" size="compact-xs" onClick={() => onChange(undefined)}>
              Keep it
            </Button>
          </>
        ) : (
          <>
            <ToneBadge tone="green">{hint}</ToneBadge>
            <Button variant="default" size="compact-xs" onClick={() => onChange("")}>
              Change the key
            </Button>
            <Button variant="subtle" color="red" size="compact-xs" onClick={() => onChange(null)}>
              Remove the key
            </Button>
          </>
        )}
      </Group>
    </Input.Wrapper>
  );
}
