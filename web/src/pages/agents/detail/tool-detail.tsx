import { Stack, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { type Column, DataTable } from "~/components/data-table";
import { JsonView } from "~/components/json-view";
import { Panel } from "~/components/page";
import { type SchemaRow, schemaRows, typeOf } from "~/pages/agents/detail/schema-rows";
import type { Tool } from "~/pages/agents/detail/tool";
import { ModeBadge } from "~/pages/agents/detail/tools-tab";
import classes from "~/pages/agents/detail/tools-tab.module.css";

const POLICY: Record<string, string> = {
  record_only: "Calls are recorded, but change nothing in the ledger.",
  adapter: "Answers of the live tool are written to the ledger by the adapter.",
  none: "Calls leave no entry in the ledger.",
};

export function ToolDetail({ tool }: { tool: Tool }) {
  return (
    <Panel title={tool.name} tools={<ModeBadge mode={tool.mode} />} style={{ minWidth: 0 }}>
      <Stack gap="md">
        <Text size="sm" style={{ whiteSpace: "pre-wrap", overflowWrap: "anywhere" }}>
          {tool.description || "No description."}
        </Text>
        <Part title="Parameters">
          <SchemaTable label="Parameters" schema={tool.inputSchema} none="Takes no parameters." />
        </Part>
        <Part title="Answer">
          {tool.outputSchema === undefined ? (
            <Text size="sm" c="var(--ody-text-dim)">
              No output schema: any answer of the simulated world is taken.
            </Text>
          ) : (
            <SchemaTable label="Answer" schema={tool.outputSchema} none="Declares no members." />
          )}
        </Part>
        {tool.binding !== undefined && (
          <Part title="Live tool">
            <JsonView value={tool.binding} name="the binding" />
          </Part>
        )}
        {tool.mode === "passthrough" && (
          <Part title="Ledger">
            <Text size="sm" mb="xs">
              {POLICY[tool.writePolicy ?? "record_only"]}
            </Text>
            {tool.adapter !== undefined && (
              <JsonView value={tool.adapter} name="the ledger adapter" depth={4} />
            )}
          </Part>
        )}
        <Part title="As JSON">
          <JsonView value={tool.stored} name={`tool ${tool.name}`} depth={1} />
        </Part>
      </Stack>
    </Panel>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div>
      <Text component="h3" size="xs" fw={600} c="var(--ody-text-dim)" mb={4}>
        {title}
      </Text>
      {children}
    </div>
  );
}

const COLUMNS: Column<SchemaRow>[] = [
  {
    id: "name",
    title: "Name",
    width: "32%",
    render: (row) => (
      <div className={classes.parameter}>
        {row.path}
        {row.required && <span className={classes.narrowOnly}>required</span>}
      </div>
    ),
  },
  {
    id: "type",
    title: "Type",
    width: 150,
    render: (row) => <span className={classes.type}>{row.type}</span>,
  },
  {
    id: "required",
    title: "Required",
    width: 80,
    wide: true,
    render: (row) => (row.required ? "yes" : "no"),
  },
  {
    id: "description",
    title: "Description",
    width: "38%",
    render: (row) => (
      <>
        {row.description}
        {row.rules.length > 0 && (
          <Text size="xs" lh="20px" c="var(--ody-text-dim)">
            {row.rules.join("; ")}
          </Text>
        )}
      </>
    ),
  },
];

function SchemaTable({ label, schema, none }: { label: string; schema: unknown; none: string }) {
  const rows = schemaRows(schema);
  if (rows.length > 0)
    return <DataTable label={label} columns={COLUMNS} rows={rows} rowKey={(row) => row.path} />;
  const type = typeOf(schema, schema);
  return (
    <Text size="sm" c="var(--ody-text-dim)">
      {type === "object" || type === "any" ? none : `Type ${type}.`}
    </Text>
  );
}
