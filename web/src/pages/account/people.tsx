import { Group, NativeSelect, Stack } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api } from "~/api/client";
import { asProblem } from "~/api/problem";
import { ToneBadge } from "~/components/badges";
import { ConfirmedDelete } from "~/components/confirmed-delete";
import { type Column, DataTable } from "~/components/data-table";
import { Panel } from "~/components/page";
import { ErrorState, RowsLoading } from "~/components/states";
import { Ago } from "~/components/time";
import { AddPerson } from "~/pages/account/add-person";
import { type Person, peopleQuery, ROLES } from "~/pages/account/queries";
import { ResetPassword } from "~/pages/account/reset-password";

export function People({ me }: { me: number }) {
  const people = useQuery(peopleQuery);
  return (
    <Stack gap="md">
      <Panel title="Add a person">
        <AddPerson />
      </Panel>
      <Panel title="People" flush>
        {people.isPending && <RowsLoading rows={4} />}
        {people.isError && <ErrorState error={people.error} retry={() => void people.refetch()} />}
        {people.data && (
          <DataTable label="People" columns={columns(me)} rows={people.data} rowKey={(person) => person.id} />
        )}
      </Panel>
    </Stack>
  );
}

function columns(me: number): Column<Person>[] {
  return [
    {
      id: "email",
      title: "E-mail",
      render: (person) => (
        <Group gap={6}>
          {person.email}
          {person.id === me && <ToneBadge tone="live">you</ToneBadge>}
        </Group>
      ),
    },
    {
      id: "role",
      title: "Role",
      width: 120,
      render: (person) => <RoleOf person={person} isMe={person.id === me} />,
    },
    {
      id: "password",
      title: "Signs in by",
      wide: true,
      render: (person) => (person.has_password ? "password or link" : "link"),
    },
    {
      id: "added",
      title: "Added",
      wide: true,
      width: 130,
      render: (person) => <Ago at={person.created_at} />,
    },
    {
      id: "actions",
      title: "Actions",
      align: "right",
      width: 76,
      render: (person) =>
        person.id !== me && (
          <Group gap={2} wrap="nowrap" justify="flex-end">
            <ResetPassword person={person} />
            <ConfirmedDelete
              what={person.email}
              consequence="They are signed out and their API keys stop working. Their runs stay."
              queryKey={peopleQuery.queryKey}
              remove={() =>
                api.DELETE("/api/people/{person_id}", { params: { path: { person_id: person.id } } })
              }
            />
          </Group>
        ),
    },
  ];
}

function RoleOf({ person, isMe }: { person: Person; isMe: boolean }) {
  const queryClient = useQueryClient();
  const change = useMutation({
    mutationFn: (role: Person["role"]) =>
      api.PUT("/api/people/{person_id}", { params: { path: { person_id: person.id } }, body: { role } }),
    onError: (error) => notifications.show({ color: "red", message: asProblem(error).detail }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: peopleQuery.queryKey }),
  });
  if (isMe) return person.role;
  return (
    <NativeSelect
      aria-label={`Role of ${person.email}`}
      size="xs"
      data={ROLES}
      value={change.isPending ? change.variables : person.role}
      disabled={change.isPending}
      onChange={(event) => change.mutate(event.currentTarget.value as Person["role"])}
    />
  );
}
