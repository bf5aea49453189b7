import { Code, Group } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { linkOptions } from "@tanstack/react-router";
import { type Column, DataTable } from "~/components/data-table";
import { ButtonLink, Panel, TextLink } from "~/components/page";
import { Empty, ErrorState, RowsLoading } from "~/components/states";
import { Moment } from "~/components/time";
import classes from "~/pages/account/account.module.css";
import {
  type AuditEntry,
  auditQuery,
  type Key,
  keysQuery,
  type Person,
  peopleQuery,
} from "~/pages/account/queries";

/** Who changed what, newest first. */
export function AuditLog({ cursor }: { cursor: string | undefined }) {
  const entries = useQuery({ ...auditQuery(cursor), placeholderData: keepPreviousData });
  const people = useQuery(peopleQuery);
  const keys = useQuery(keysQuery);
  if (entries.isPending) return <RowsLoading rows={12} />;
  if (entries.isError) return <ErrorState error={entries.error} retry={() => void entries.refetch()} />;

  const { items, next_cursor: next } = entries.data;
  return (
    <Panel title="Audit log" flush>
      {items.length === 0 ? (
        <Empty title="No entries">Every change is written down here, with who made it.</Empty>
      ) : (
        <DataTable
          label="Audit log"
          columns={columns(people.data ?? [], keys.data ?? [])}
          rows={items}
          rowKey={(entry) => entry.id}
        />
      )}
      {(cursor !== undefined || next !== null) && (
        <Group p="sm" gap="xs" justify="flex-end" style={{ borderTop: "1px solid var(--ody-line)" }}>
          {cursor !== undefined && (
            <ButtonLink variant="default" to="/account" search={{ tab: "audit" }}>
              Newest
            </ButtonLink>
          )}
          {next !== null && (
            <ButtonLink variant="default" to="/account" search={{ tab: "audit", cursor: next }}>
              Older
            </ButtonLink>
          )}
        </Group>
      )}
    </Panel>
  );
}

function columns(people: Person[], keys: Key[]): Column<AuditEntry>[] {
  const emails = new Map(people.map(({ id, email }) => [id, email]));
  const keyNames = new Map(keys.map(({ id, name }) => [id, name]));
  return [
    {
      id: "when",
      title: "When",
      wide: true,
      width: 170,
      render: (entry) => <Moment at={entry.occurred_at} />,
    },
    {
      id: "who",
      title: "Who",
      render: ({ person_id, key_id, occurred_at }) => {
        const person = person_id === null ? "the server" : (emails.get(person_id) ?? `person ${person_id}`);
        const key = key_id === null ? "" : `, key “${keyNames.get(key_id) ?? "since deleted"}”`;
        return (
          <>
            {person + key}
            <div className={classes.below}>
              <Moment at={occurred_at} />
            </div>
          </>
        );
      },
    },
    {
      id: "action",
      title: "Action",
      render: (entry) => (
        <>
          <Code className={classes.action}>{entry.action}</Code>
          <div className={classes.below}>
            <Changed entry={entry} />
          </div>
        </>
      ),
    },
    { id: "object", title: "On", wide: true, render: (entry) => <Changed entry={entry} /> },
    {
      id: "request",
      title: "Request",
      wide: true,
      render: (entry) => <Code style={{ overflowWrap: "anywhere" }}>{entry.request_id}</Code>,
    },
  ];
}

function Changed({ entry }: { entry: AuditEntry }) {
  const words = `${entry.object_type} ${entry.object_id}`;
  const place = placeOf(entry.object_type, Number(entry.object_id));
  return place ? <TextLink {...place}>{words}</TextLink> : words;
}

function placeOf(type: string, id: number) {
  switch (type) {
    case "run":
      return linkOptions({ to: "/runs/$runId", params: { runId: id } });
    case "agent":
      return linkOptions({ to: "/agents/$agentId", params: { agentId: id } });
    case "batch":
      return linkOptions({ to: "/batches/$batchId", params: { batchId: id } });
    case "dataset":
      return linkOptions({ to: "/datasets/$datasetId", params: { datasetId: id } });
    case "world":
      return linkOptions({ to: "/worlds/$worldId", params: { worldId: id } });
    default:
      return null;
  }
}
