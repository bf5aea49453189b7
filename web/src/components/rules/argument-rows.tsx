import { ActionIcon, Autocomplete, Button, Input, NativeSelect, Text } from "@mantine/core";
import { useFocusWithin } from "@mantine/hooks";
import { IconPlus, IconX } from "@tabler/icons-react";
import { errorsAt, type FieldError } from "~/api/problem";
import { placeOf } from "~/components/rules/arguments";
import { looseText, readLoose, Unread } from "~/components/rules/json-text";
import { type ArgumentRow, newKey, OPERATORS, type Operator } from "~/components/rules/model";
import classes from "~/components/rules/rules.module.css";
import { type ArgumentInfo, argumentsTaken, couldBe, kindOf, type ToolInfo } from "~/components/rules/tools";

const VALUE_EXAMPLE: Partial<Record<Operator, string>> = {
  $in: '["paid", "open"]',
  $nin: '["paid", "open"]',
  $exists: "true",
  $regex: "^ord_[0-9]+$",
  $gt: "100",
};
const COMPARES_ITSELF = new Set<Operator>(["is", "$eq", "$ne", "$gt", "$gte", "$lt", "$lte"]);

interface ArgumentRowsProps {
  rows: ArgumentRow[];
  /** By path inside `args`. */
  faults: FieldError[];
  /** Those the rule is about. */
  tools: ToolInfo[];
  onChange: (rows: ArgumentRow[]) => void;
}

/** What the arguments must be for the rule to match; all rows must hold. */
export function ArgumentRows({ rows, faults, tools, onChange }: ArgumentRowsProps) {
  const taken = argumentsTaken(tools);
  const placed = new Set(rows.flatMap((row) => errorsAt(faults, ...placeOf(row))));
  const add = () => onChange([...rows, { key: newKey(), path: "", operator: "is", value: "" }]);
  return (
    <Input.Wrapper
      label="Arguments"
      labelElement="div"
      size="xs"
      error={faults.find((fault) => !placed.has(fault))?.msg}
    >
      {rows.map((row, index) => (
        <Row
          key={row.key}
          row={row}
          number={index + 1}
          fault={errorsAt(faults, ...placeOf(row))[0]?.msg ?? null}
          taken={taken}
          onChange={(next) => onChange(rows.with(index, next))}
          onRemove={() => onChange(rows.toSpliced(index, 1))}
        />
      ))}
      <Button
        size="compact-xs"
        variant="subtle"
        leftSection={<IconPlus size={12} />}
        mt={rows.length > 0 ? 6 : 0}
        display="block"
        className={classes.inline}
        onClick={add}
      >
        {rows.length === 0 ? "Any arguments; add a condition" : "Add a condition"}
      </Button>
    </Input.Wrapper>
  );
}

interface RowProps {
  row: ArgumentRow;
  number: number;
  fault: string | null;
  taken: ArgumentInfo[];
  onChange: (row: ArgumentRow) => void;
  onRemove: () => void;
}

function Row({ row, number, fault, taken, onChange, onRemove }: RowProps) {
  const { ref, focused } = useFocusWithin<HTMLDivElement>();
  const info = taken.find(({ path }) => path === row.path);
  const value = readLoose(row.value);
  const unwritten = value instanceof Unread && value.text === "";
  return (
    <div ref={ref} className={classes.argument}>
      <Autocomplete
        aria-label={`Argument ${number}: name`}
        size="xs"
        placeholder="order_id"
        className={classes.mono}
        data={taken.map(({ path }) => path)}
        value={row.path}
        onChange={(path) => onChange({ ...row, path })}
        error={row.path === "" && row.value !== "" && !focused ? "which argument?" : null}
      />
      <NativeSelect
        aria-label={`Argument ${number}: operator`}
        size="xs"
        className={classes.mono}
        data={[...OPERATORS]}
        value={row.operator}
        onChange={({ currentTarget }) => onChange({ ...row, operator: currentTarget.value as Operator })}
      />
      <Autocomplete
        aria-label={`Argument ${number}: value`}
        size="xs"
        className={classes.mono}
        placeholder={VALUE_EXAMPLE[row.operator] ?? "a value, as JSON or plain text"}
        data={suggestions(row.operator, info)}
        value={row.value}
        onChange={(written) => onChange({ ...row, value: written })}
        error={row.path === "" || (unwritten && focused) ? null : fault}
        description={misfit(row, value, info)}
        inputWrapperOrder={["label", "input", "error", "description"]}
        rightSection={
          unwritten || value instanceof Unread ? null : <Text className={classes.kind}>{kindOf(value)}</Text>
        }
        rightSectionWidth={56}
        rightSectionPointerEvents="none"
      />
      <ActionIcon
        variant="subtle"
        color="gray"
        mt={1}
        aria-label={`Remove argument ${number}`}
        onClick={onRemove}
      >
        <IconX size={14} />
      </ActionIcon>
    </div>
  );
}

function suggestions(operator: Operator, info: ArgumentInfo | undefined): string[] {
  if (operator === "$exists") return ["true", "false"];
  if (operator === "$in" || operator === "$nin" || info === undefined) return [];
  const choices = info.type === "boolean" ? [true, false] : info.choices;
  return [...new Set(choices.map(looseText))];
}

/** A comparison that can never hold is most often a forgotten pair of quotes. */
function misfit(row: ArgumentRow, value: unknown, info: ArgumentInfo | undefined): string | null {
  if (info === undefined || value instanceof Unread || !COMPARES_ITSELF.has(row.operator)) return null;
  if (couldBe(info.type, value)) return null;
  const hint =
    info.type === "string" && typeof value !== "object"
      ? `; write ${JSON.stringify(row.value.trim())} for text`
      : "";
  return `${row.path} takes ${info.type}${hint}`;
}
