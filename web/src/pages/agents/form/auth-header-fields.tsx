import { Button, Group, Input, PasswordInput, SimpleGrid, Text, TextInput } from "@mantine/core";
import { messageAt } from "~/api/problem";
import type { Agent } from "~/api/queries";
import { ToneBadge } from "~/components/badges";
import type { FieldsProps } from "~/pages/agents/form/endpoint-section";

/** The header every dispatch carries. Its value can be written, never read. */
export function AuthHeaderFields({ draft, change, faults, saved }: FieldsProps & { saved: Agent | null }) {
  const isSet = saved?.auth_header_set ?? false;
  const error = messageAt(faults, "config", "auth_header_value");
  const writing = typeof draft.authHeaderValue === "string" || !isSet;
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }} maw={640} spacing="sm">
      <TextInput
        label="Auth header name"
        description="Optional. Sent with every dispatch."
        placeholder="Authorization"
        value={draft.authHeaderName}
        onChange={(event) => change({ authHeaderName: event.currentTarget.value })}
        error={messageAt(faults, "config", "auth_header_name")}
        spellCheck={false}
      />
      {writing ? (
        <PasswordInput
          size="sm"
          label="Auth header value"
          description="Kept encrypted; it cannot be read back."
          placeholder="Bearer …"
          autoComplete="off"
          value={draft.authHeaderValue ?? ""}
          onChange={(event) => change({ authHeaderValue: event.currentTarget.value })}
          error={error}
          {...(isSet && { inputContainer: withKeep(() => change({ authHeaderValue: undefined })) })}
        />
      ) : (
        <Input.Wrapper
          label="Auth header value"
          labelElement="div"
          description="Kept encrypted; it cannot be read back."
          error={error}
          data-fault={error ? true : undefined}
        >
          <Group gap="xs" mih={34}>
            {draft.authHeaderValue === null ? (
              <>
                <ToneBadge tone="amber">removed when you save</ToneBadge>
                <Button
                  variant="subtle"
                  size="compact-xs"
                  onClick={() => change({ authHeaderValue: undefined })}
                >
                  Keep it
                </Button>
              </>
            ) : (
              <>
                <ToneBadge tone="green">set</ToneBadge>
                <Button variant="default" size="compact-xs" onClick={() => change({ authHeaderValue: "" })}>
                  Change
                </Button>
                <Button
                  variant="subtle"
                  color="red"
                  size="compact-xs"
                  onClick={() => change({ authHeaderValue: null })}
                >
                  Remove
                </Button>
              </>
            )}
          </Group>
        </Input.Wrapper>
      )}
    </SimpleGrid>
  );
}

const withKeep = (keep: () => void) => (input: React.ReactNode) => (
  <>
    {input}
    <Text size="xs" c="var(--ody-text-dim)" mt={2}>
      Blank keeps the saved value.{" "}
      <Button variant="transparent" size="compact-xs" px={0} onClick={keep}>
        Keep it
      </Button>
    </Text>
  </>
);
