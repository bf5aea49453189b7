import { Button, Code, Group, Modal, Text } from "@mantine/core";
import { IconKey, IconPlus } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { type Credential, credentialsQuery, deleteCredential } from "~/api/credentials";
import { ConfirmedDelete } from "~/components/confirmed-delete";
import { type Column, DataTable } from "~/components/data-table";
import { Panel, TextLink } from "~/components/page";
import { Empty, ErrorState, RowsLoading } from "~/components/states";
import { Ago } from "~/components/time";
import { CredentialForm } from "~/pages/settings/credentials/credential-form";
import classes from "~/pages/settings/settings.module.css";

/** Secrets of endpoints, by name: what each is bound to and who uses it, never what it is. */
export function Credentials() {
  const { data: credentials, error, refetch } = useQuery(credentialsQuery);
  const [writing, setWriting] = useState<Credential | "new" | null>(null);
  const close = () => setWriting(null);
  return (
    <Panel
      title="Credentials"
      flush
      tools={
        <Button
          variant="default"
          size="compact-xs"
          leftSection={<IconPlus size={13} aria-hidden />}
          onClick={() => setWriting("new")}
        >
          Add a credential
        </Button>
      }
    >
      {credentials === undefined ? (
        error ? (
          <ErrorState error={error} retry={() => void refetch()} />
        ) : (
          <RowsLoading rows={3} />
        )
      ) : credentials.length === 0 ? (
        <Empty icon={<IconKey size={28} stroke={1.5} />} title="No credentials">
          A credential is a secret under a name, sent to one scheme, host and port and nowhere else. One that
          is written into the form of an endpoint is kept here as well.
        </Empty>
      ) : (
        <DataTable
          label="Credentials"
          columns={columnsFor(setWriting)}
          rows={credentials}
          rowKey={({ name }) => name}
        />
      )}
      <Modal
        opened={writing !== null}
        onClose={close}
        title={writing === "new" || writing === null ? "Add a credential" : `Replace ${writing.name}`}
        size="md"
      >
        {writing !== null && <CredentialForm saved={writing === "new" ? null : writing} onDone={close} />}
      </Modal>
    </Panel>
  );
}

function columnsFor(onReplace: (credential: Credential) => void): Column<Credential>[] {
  return [
    {
      id: "name",
      title: "Name",
      render: (credential) => (
        <>
          <span className={classes.credential}>{credential.name}</span>
          <Text size="xs" c="var(--ody-text-dim)" style={{ overflowWrap: "anywhere" }}>
            {credential.origin ?? "bound to no address: sent nowhere"}
          </Text>
        </>
      ),
    },
    { id: "shown", title: "Value", width: 100, render: ({ shown }) => <Code>{shown}</Code> },
    {
      id: "used",
      title: "Used by",
      width: "24%",
      wide: true,
      render: ({ used_by: users }) =>
        users.length === 0 ? (
          <Text span size="sm" c="var(--ody-text-dim)">
            nothing
          </Text>
        ) : (
          users.map(({ endpoint_id, endpoint_name }) => (
            <TextLink
              key={endpoint_id}
              to="/endpoints/$endpointId"
              params={{ endpointId: endpoint_id }}
              style={{ display: "block" }}
              lineClamp={1}
            >
              {endpoint_name}
            </TextLink>
          ))
        ),
    },
    {
      id: "updated",
      title: "Changed",
      width: 100,
      wide: true,
      render: ({ updated_at }) => <Ago at={updated_at} />,
    },
    {
      id: "actions",
      title: "Actions",
      align: "right",
      width: 120,
      render: (credential) => (
        <Group gap={4} justify="flex-end" wrap="nowrap">
          <Button variant="default" size="compact-xs" onClick={() => onReplace(credential)}>
            Replace
          </Button>
          <ConfirmedDelete
            what={credential.name}
            consequence="The secret is erased. This cannot be undone."
            queryKey={credentialsQuery.queryKey}
            remove={() => deleteCredential(credential.name)}
          />
        </Group>
      ),
    },
  ];
}
