import { Button, Group, PasswordInput, Stack, TextInput } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { type Credential, createCredential, credentialsQuery, replaceCredential } from "~/api/credentials";
import { asProblem, messageAt } from "~/api/problem";
import { Refusal } from "~/components/refusal";

/** A new credential, or another value for one that is kept. */
export function CredentialForm({ saved, onDone }: { saved: Credential | null; onDone: () => void }) {
  const client = useQueryClient();
  const [name, setName] = useState(saved?.name ?? "");
  const [value, setValue] = useState("");
  const [origin, setOrigin] = useState(saved?.origin ?? "");
  const saving = useMutation({
    mutationFn: () => {
      const bound = origin.trim() === "" ? {} : { origin: origin.trim() };
      if (saved === null) return createCredential({ name: name.trim(), value, ...bound } as never);
      return replaceCredential(saved.name, { ...(value !== "" && { value }), ...bound } as never);
    },
    onSuccess: (credential) => {
      void client.invalidateQueries({ queryKey: credentialsQuery.queryKey });
      void client.invalidateQueries({ queryKey: ["endpoints"] });
      notifications.show({ message: `${credential.name} is saved: ${credential.shown}.` });
      onDone();
    },
  });
  const faults = saving.error === null ? [] : asProblem(saving.error).errors;

  function submit(event: FormEvent) {
    event.preventDefault();
    saving.mutate();
  }

  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm">
        {saved === null && (
          <TextInput
            data-autofocus
            label="Name"
            description="A letter or _, then letters, digits and _."
            placeholder="ORDERS_API_KEY"
            value={name}
            onChange={({ currentTarget }) => setName(currentTarget.value)}
            error={messageAt(faults, "name")}
            spellCheck={false}
          />
        )}
        <PasswordInput
          size="sm"
          label="Value"
          description={
            saved === null ? "Kept encrypted and never shown again." : `Takes the place of ${saved.shown}.`
          }
          autoComplete="off"
          value={value}
          onChange={({ currentTarget }) => setValue(currentTarget.value)}
          error={messageAt(faults, "value")}
          {...(saved !== null && { "data-autofocus": true })}
        />
        <TextInput
          label="Address it is for"
          description="Scheme, host and port. It is sent nowhere else; another address needs the value again."
          placeholder="https://api.example.com"
          inputMode="url"
          value={origin}
          onChange={({ currentTarget }) => setOrigin(currentTarget.value)}
          error={messageAt(faults, "origin")}
          spellCheck={false}
        />
        {faults.length === 0 && <Refusal error={saving.error} title="Not saved" />}
        <Group justify="flex-end">
          <Button type="submit" loading={saving.isPending}>
            {saved === null ? "Add it" : "Replace it"}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
