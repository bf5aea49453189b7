import { Button, Code, Group, Stack, Text, TextInput } from "@mantine/core";
import { IconKey } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { api, data, type Schemas } from "~/api/client";
import { asProblem, messageAt } from "~/api/problem";
import { ConfirmedDelete } from "~/components/confirmed-delete";
import { Copy } from "~/components/copy";
import { type Column, DataTable } from "~/components/data-table";
import { Panel } from "~/components/page";
import { Refusal } from "~/components/refusal";
import { Empty, ErrorState, RowsLoading } from "~/components/states";
import { Ago } from "~/components/time";
import classes from "~/pages/account/account.module.css";
import { type Key, keysQuery, type Person, peopleQuery } from "~/pages/account/queries";

export function Keys({ me }: { me: number }) {
  const keys = useQuery(keysQuery);
  const people = useQuery(peopleQuery);
  return (
    <Stack gap="md">
      <Panel title="New API key">
        <NewKey />
      </Panel>
      <Panel title="API keys" flush>
        {keys.isPending && <RowsLoading rows={4} />}
        {keys.isError && <ErrorState error={keys.error} retry={() => void keys.refetch()} />}
        {keys.data?.length === 0 && (
          <Empty icon={<IconKey size={28} />} title="No API keys">
            Make one for the command line, for scripts and for continuous integration.
          </Empty>
        )}
        {keys.data && keys.data.length > 0 && (
          <DataTable
            label="API keys"
            columns={columns(people.data ?? [], me)}
            rows={keys.data}
            rowKey={(key) => key.id}
          />
        )}
      </Panel>
    </Stack>
  );
}

function NewKey() {
  const [name, setName] = useState("");
  const [made, setMade] = useState<Schemas["NewKeyOut"] | null>(null);
  const queryClient = useQueryClient();
  const create = useMutation({
    mutationFn: () => data(api.POST("/api/keys", { body: { name } })),
    onSuccess: (key) => {
      setName("");
      setMade(key);
      void queryClient.invalidateQueries({ queryKey: keysQuery.queryKey });
    },
  });
  const faults = create.error === null ? [] : asProblem(create.error).errors;

  function submit(event: FormEvent) {
    event.preventDefault();
    create.mutate();
  }

  if (made) {
    return (
      <div className={classes.secret} role="status">
        <Text size="sm" fw={600}>
          Copy the key “{made.name}” now. It is shown this once.
        </Text>
        <Group gap="xs" wrap="nowrap">
          <Code className={classes.secretText}>{made.key}</Code>
          <Copy value={made.key} what="the key" label="Copy" />
        </Group>
        <Button variant="default" onClick={() => setMade(null)}>
          I have it
        </Button>
      </div>
    );
  }
  return (
    <form onSubmit={submit}>
      <p className={classes.note}>
        A key acts as you, without a browser: for the command line, scripts and continuous integration.
      </p>
      <div className={classes.line}>
        <TextInput
          label="Name"
          placeholder="What it is for"
          required
          withAsterisk={false}
          maxLength={255}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          error={messageAt(faults, "name")}
        />
        <Button type="submit" size="sm" loading={create.isPending}>
          Make a key
        </Button>
      </div>
      {faults.length === 0 && <Refusal error={create.error} />}
    </form>
  );
}

function columns(people: Person[], me: number): Column<Key>[] {
  const emails = new Map(people.map(({ id, email }) => [id, email]));
  return [
    { id: "name", title: "Name", render: (key) => key.name },
    { id: "key", title: "Key", render: (key) => <Code>{key.key}</Code>, width: 120 },
    {
      id: "person",
      title: "Acts as",
      render: ({ person_id }) =>
        person_id === me ? "you" : (emails.get(person_id) ?? `person ${person_id}`),
    },
    { id: "created", title: "Made", wide: true, width: 130, render: (key) => <Ago at={key.created_at} /> },
    {
      id: "delete",
      title: "Actions",
      align: "right",
      width: 60,
      render: (key) => (
        <ConfirmedDelete
          what={`the key “${key.name}”`}
          consequence="Whatever uses it is refused from then on. This cannot be undone."
          queryKey={keysQuery.queryKey}
          remove={() => api.DELETE("/api/keys/{key_id}", { params: { path: { key_id: key.id } } })}
        />
      ),
    },
  ];
}
