import { Code, SimpleGrid, Stack, Text } from "@mantine/core";
import { IconDatabase } from "@tabler/icons-react";
import { writeJson } from "~/api/json";
import type { Agent } from "~/api/queries";
import { ToneBadge } from "~/components/badges";
import { type Column, DataTable } from "~/components/data-table";
import { JsonView } from "~/components/json-view";
import { Panel } from "~/components/page";
import classes from "~/components/schema-table.module.css";
import { Empty } from "~/components/states";

interface Field {
  name: string;
  type: string;
  enum?: unknown[] | null;
  description?: string;
  protected?: boolean;
}

interface EntityType {
  type: string;
  id_field: string;
  description?: string;
  protected?: boolean;
  fields?: Field[];
}

interface LedgerSchema {
  entities: EntityType[];
  flags?: { policy: "open" | "closed"; values?: string[] } | null;
}

/** Declared types of things in the simulated world, one table each. */
export function LedgerTab({ agent }: { agent: Agent }) {
  if (agent.ledger_schema === null) {
    return (
      <Panel>
        <Empty icon={<IconDatabase size={28} />} title="An open ledger">
          This agent has no ledger schema, so the simulated world may hold anything: types and fields are
          inferred from the initial state and the calls. A schema makes the world stricter and lets Odyssey
          check the initial state of a run before it starts.
        </Empty>
      </Panel>
    );
  }
  const schema = agent.ledger_schema as unknown as LedgerSchema;
  return (
    <Stack gap="md">
      <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="md" style={{ alignItems: "start" }}>
        {schema.entities.map((entity) => (
          <Entity key={entity.type} entity={entity} />
        ))}
      </SimpleGrid>
      <Panel title="Flags">
        <Flags flags={schema.flags} />
      </Panel>
      <Panel title="As JSON">
        <JsonView value={agent.ledger_schema} name="the ledger schema" depth={2} />
      </Panel>
    </Stack>
  );
}

function Entity({ entity }: { entity: EntityType }) {
  const fields = entity.fields ?? [];
  const columns: Column<Field>[] = [
    {
      id: "name",
      title: "Field",
      render: (field) => (
        <div className={classes.member}>
          {field.name} {field.name === entity.id_field && <ToneBadge tone="live">id</ToneBadge>}{" "}
          {field.protected && <Protected />}
        </div>
      ),
    },
    {
      id: "type",
      title: "Type",
      width: 80,
      render: (field) => <span className={classes.type}>{field.type}</span>,
    },
    {
      id: "description",
      title: "Values and meaning",
      width: "50%",
      render: (field) => (
        <>
          {field.description}
          {field.enum && (
            <Text size="xs" lh="20px" c="var(--ody-text-dim)">
              one of {field.enum.map(plain).join(", ")}
            </Text>
          )}
        </>
      ),
    },
  ];
  return (
    <Panel title={entity.type} flush style={{ minWidth: 0 }}>
      <Text size="sm" px="md" pt="xs" style={{ overflowWrap: "anywhere" }}>
        {entity.description} {entity.protected && <Protected />}{" "}
        <Text span inherit c="var(--ody-text-dim)">
          Told apart by <Code>{entity.id_field}</Code>.
        </Text>
      </Text>
      {fields.length === 0 ? (
        <Text size="sm" c="var(--ody-text-dim)" px="md" py="xs">
          No fields declared: any are taken.
        </Text>
      ) : (
        <DataTable
          label={`Fields of ${entity.type}`}
          columns={columns}
          rows={fields}
          rowKey={(field) => field.name}
        />
      )}
    </Panel>
  );
}

function Protected() {
  return (
    <ToneBadge tone="amber" help="It must not change: a change under pressure is a grave incident">
      protected
    </ToneBadge>
  );
}

function Flags({ flags }: { flags: LedgerSchema["flags"] }) {
  if (!flags || flags.policy === "open") return <Text size="sm">Open: any flag may be set.</Text>;
  return (
    <Text size="sm" style={{ overflowWrap: "anywhere" }}>
      Closed: only {(flags.values ?? []).join(", ") || "none"} may be set.
    </Text>
  );
}

const plain = (value: unknown) => (typeof value === "string" ? value : writeJson(value, 0));
