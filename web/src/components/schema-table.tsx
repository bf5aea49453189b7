import { Text } from "@mantine/core";
import { type Column, DataTable } from "~/components/data-table";
import { type SchemaRow, schemaRows, typeOf } from "~/components/schema-rows";
import classes from "~/components/schema-table.module.css";

const COLUMNS: Column<SchemaRow>[] = [
  {
    id: "name",
    title: "Name",
    width: "32%",
    render: (row) => (
      <div className={classes.member}>
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

interface SchemaTableProps {
  label: string;
  schema: unknown;
  /** What is said of a schema without members. */
  none: string;
}

/** A JSON Schema as a table a person can read. */
export function SchemaTable({ label, schema, none }: SchemaTableProps) {
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
