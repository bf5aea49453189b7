import { ActionIcon, Button, Group, Modal, PasswordInput, Stack, Text, Tooltip } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { notifications } from "@mantine/notifications";
import { IconLockPassword } from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { api } from "~/api/client";
import { asProblem, messageAt } from "~/api/problem";
import { Refusal } from "~/components/refusal";
import { type Person, peopleQuery, SHORTEST_PASSWORD } from "~/pages/account/queries";

/** Sets somebody else's password. */
export function ResetPassword({ person }: { person: Person }) {
  const [opened, { open, close }] = useDisclosure(false);
  const [password, setPassword] = useState("");
  const queryClient = useQueryClient();
  const path = { person_id: person.id };
  const reset = useMutation({
    mutationFn: () => api.PUT("/api/people/{person_id}", { params: { path }, body: { password } }),
    onSuccess: () => {
      leave();
      void queryClient.invalidateQueries({ queryKey: peopleQuery.queryKey });
      notifications.show({ message: `${person.email} has a new password and is signed out everywhere.` });
    },
  });
  const faults = reset.error === null ? [] : asProblem(reset.error).errors;
  const label = `Set the password of ${person.email}`;

  function leave() {
    close();
    setPassword("");
    reset.reset();
  }

  function submit(event: FormEvent) {
    event.preventDefault();
    reset.mutate();
  }

  return (
    <>
      <Tooltip label={label}>
        <ActionIcon variant="subtle" color="gray" aria-label={label} onClick={open}>
          <IconLockPassword size={15} />
        </ActionIcon>
      </Tooltip>
      <Modal opened={opened} onClose={leave} title={label} styles={{ title: { overflowWrap: "anywhere" } }}>
        <form onSubmit={submit}>
          <Stack>
            <Text size="sm">Their sessions and sign-in links end. Their API keys stay.</Text>
            <PasswordInput
              label="New password"
              description={`At least ${SHORTEST_PASSWORD} characters.`}
              autoComplete="new-password"
              data-autofocus
              required
              withAsterisk={false}
              minLength={SHORTEST_PASSWORD}
              value={password}
              onChange={(event) => setPassword(event.currentTarget.value)}
              error={messageAt(faults, "password")}
            />
            {faults.length === 0 && <Refusal error={reset.error} />}
            <Group justify="flex-end" gap="xs">
              <Button variant="default" onClick={leave}>
                Cancel
              </Button>
              <Button type="submit" loading={reset.isPending}>
                Set password
              </Button>
            </Group>
          </Stack>
        </form>
      </Modal>
    </>
  );
}
