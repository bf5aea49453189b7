import {
  Autocomplete,
  Button,
  Group,
  Input,
  PasswordInput,
  SegmentedControl,
  SimpleGrid,
  TextInput,
} from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { credentialsQuery } from "~/api/credentials";
import { messageAt } from "~/api/problem";
import { ToneBadge } from "~/components/badges";
import { type AuthType, DEFAULT_HEADER } from "~/pages/endpoints/form/draft";
import type { FieldsProps } from "~/pages/endpoints/form/endpoint-form";

const ABOUT = "Kept encrypted and never shown again. It belongs to this scheme, host and port.";

/** How the service is convinced; the secret can be written, never read. */
export function AuthFields({ draft, change, errors, saved }: FieldsProps) {
  const at = (member: string) => messageAt(errors, "config", "auth", member);
  const credentials = useQuery(credentialsQuery).data ?? [];
  return (
    <>
      <Input.Wrapper
        label="Auth"
        labelElement="div"
        error={messageAt(errors, "config", "auth") ?? at("type")}
      >
        <Group mt={2}>
          <SegmentedControl
            size="xs"
            aria-label="Auth"
            value={draft.auth}
            onChange={(auth) => change({ auth: auth as AuthType })}
            data={[
              { value: "none", label: "None" },
              { value: "bearer", label: "Bearer token" },
              { value: "api_key", label: "API key" },
            ]}
          />
        </Group>
      </Input.Wrapper>
      {draft.auth !== "none" && (
        <>
          <SecretField draft={draft} change={change} errors={errors} saved={saved} />
          <SimpleGrid cols={{ base: 1, xs: 2 }} maw={640} spacing="sm">
            {draft.auth === "api_key" && (
              <TextInput
                label="Header"
                description="The key is its whole value."
                placeholder={DEFAULT_HEADER}
                value={draft.header}
                onChange={({ currentTarget }) => change({ header: currentTarget.value })}
                error={at("header")}
                spellCheck={false}
              />
            )}
            <Autocomplete
              label="Credential"
              description="The name the secret is kept under. Blank: made from the endpoint's name."
              placeholder="ORDERS_API_SECRET"
              data={credentials.map(({ name }) => name)}
              value={draft.credential}
              onChange={(credential) => change({ credential })}
              error={at("credential")}
              spellCheck={false}
            />
          </SimpleGrid>
        </>
      )}
    </>
  );
}

function SecretField({ draft, change, errors, saved }: FieldsProps) {
  const label = draft.auth === "bearer" ? "Token" : "Key";
  const error = messageAt(errors, "config", "auth", "secret");
  const stored = saved?.config.auth.secret_set ? (saved.config.auth.shown ?? "set") : null;
  if (stored === null || draft.secret !== undefined) {
    return (
      <Group align="flex-end" gap="xs" wrap="nowrap" maw={640}>
        <PasswordInput
          size="sm"
          flex={1}
          label={label}
          description={
            draft.credential === "" ? ABOUT : `${ABOUT} Blank: the one kept as ${draft.credential}.`
          }
          autoComplete="off"
          value={draft.secret ?? ""}
          onChange={({ currentTarget }) =>
            change({ secret: currentTarget.value || (stored === null ? undefined : "") })
          }
          error={error}
        />
        {stored !== null && (
          <Button variant="default" onClick={() => change({ secret: undefined })}>
            Keep {stored}
          </Button>
        )}
      </Group>
    );
  }
  return (
    <Input.Wrapper
      label={label}
      labelElement="div"
      description={ABOUT}
      error={error}
      data-fault={error ? true : undefined}
    >
      <Group gap="xs" mih={34}>
        <ToneBadge tone="green">{stored}</ToneBadge>
        <Button variant="default" size="compact-xs" onClick={() => change({ secret: "" })}>
          Change the {label.toLowerCase()}
        </Button>
      </Group>
    </Input.Wrapper>
  );
}
