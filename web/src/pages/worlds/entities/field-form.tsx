import {
  ActionIcon,
  Button,
  NativeSelect,
  SegmentedControl,
  Text,
  Textarea,
  TextInput,
  Tooltip,
} from "@mantine/core";
import { IconPlus, IconX } from "@tabler/icons-react";
import type { Fields } from "~/api/worlds";
import { short } from "~/components/ledger/operations";
import { sameJson } from "~/components/rules/json-text";
import classes from "~/pages/worlds/entities/entities.module.css";
import {
  type FieldRow,
  freshRow,
  KINDS,
  type Kind,
  turned,
  valueIn,
  writtenFields,
} from "~/pages/worlds/entities/field-rows";

interface FieldFormProps {
  rows: FieldRow[];
  onChange: (rows: FieldRow[]) => void;
  /** The entity as it is stored, to show what differs; null for one that is new. */
  stored: Fields | null;
}

/** One row per member: its name, what kind of value it is, and the value. */
export function FieldForm({ rows, onChange, stored }: FieldFormProps) {
  const { faults } = writtenFields(rows);
  const gone = Object.keys(stored ?? {}).filter((name) => !rows.some((row) => row.name === name));
  return (
    <div className={classes.fields}>
      {rows.map((row, index) => (
        <Row
          key={row.key}
          row={row}
          fault={faults.get(row.key)}
          stored={stored}
          onChange={(next) => onChange(rows.with(index, next))}
          onRemove={() => onChange(rows.toSpliced(index, 1))}
        />
      ))}
      {gone.map((name) => (
        <Text key={name} size="xs" c="var(--ody-text-dim)" className={classes.gone}>
          <del>{name}</del> will no longer be there
        </Text>
      ))}
      <div>
        <Button
          variant="subtle"
          size="compact-xs"
          leftSection={<IconPlus size={13} />}
          onClick={() => onChange([...rows, freshRow()])}
        >
          Add field
        </Button>
      </div>
    </div>
  );
}

interface RowProps {
  row: FieldRow;
  fault: string | undefined;
  stored: Fields | null;
  onChange: (row: FieldRow) => void;
  onRemove: () => void;
}

function Row({ row, fault, stored, onChange, onRemove }: RowProps) {
  const called = row.name || "new field";
  const was = stored !== null && Object.hasOwn(stored, row.name) ? stored[row.name] : undefined;
  const isChanged = stored !== null && !sameJson(was, valueIn(row));
  return (
    <div className={classes.field} data-changed={isChanged || undefined}>
      <div className={classes.fieldHead}>
        {row.fresh ? (
          <TextInput
            size="xs"
            aria-label="Name of the new field"
            placeholder="name"
            value={row.name}
            onChange={({ currentTarget }) => onChange({ ...row, name: currentTarget.value })}
            spellCheck={false}
          />
        ) : (
          <span className={classes.fieldName}>{row.name}</span>
        )}
        <NativeSelect
          size="xs"
          variant="unstyled"
          className={classes.kind ?? ""}
          aria-label={`Kind of ${called}`}
          data={[...KINDS]}
          value={row.kind}
          onChange={({ currentTarget }) => onChange(turned(row, currentTarget.value as Kind))}
        />
        <Tooltip label={`Remove ${called}`}>
          <ActionIcon
            variant="subtle"
            color="gray"
            size="sm"
            aria-label={`Remove ${called}`}
            onClick={onRemove}
          >
            <IconX size={13} />
          </ActionIcon>
        </Tooltip>
      </div>
      <Value row={row} called={called} fault={fault} onChange={(text) => onChange({ ...row, text })} />
      {isChanged && was !== undefined && (
        <Text size="xs" c="var(--ody-text-dim)" className={classes.was}>
          was <del>{short(was)}</del>
        </Text>
      )}
    </div>
  );
}

interface ValueProps {
  row: FieldRow;
  called: string;
  fault: string | undefined;
  onChange: (text: string) => void;
}

function Value({ row, called, fault, onChange }: ValueProps) {
  const label = `Value of ${called}`;
  if (row.kind === "null")
    return fault ? (
      <Text size="xs" c="var(--band-red)">
        {fault}
      </Text>
    ) : null;
  if (row.kind === "true/false") {
    return (
      <SegmentedControl
        size="xs"
        aria-label={label}
        data={["true", "false"]}
        value={row.text}
        onChange={onChange}
      />
    );
  }
  return (
    <Textarea
      size="xs"
      autosize
      minRows={1}
      maxRows={10}
      aria-label={label}
      classNames={{ input: row.kind === "text" ? "" : (classes.code ?? "") }}
      value={row.text}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
      error={fault}
      spellCheck={false}
    />
  );
}
