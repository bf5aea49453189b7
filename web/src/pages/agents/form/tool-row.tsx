import { ActionIcon, UnstyledButton } from "@mantine/core";
import { IconChevronDown, IconChevronRight, IconTrash } from "@tabler/icons-react";
import { memo } from "react";
import type { FieldError } from "~/api/problem";
import { ToneBadge } from "~/components/badges";
import { JsonEditor } from "~/components/json-editor";
import { ModeBadge, modeOf } from "~/components/mode-badge";
import { isObject } from "~/components/rules/json-text";
import type { ToolDraft } from "~/pages/agents/form/draft";
import { ExecutionFields } from "~/pages/agents/form/execution-fields";
import { FaultList } from "~/pages/agents/form/fault-list";
import classes from "~/pages/agents/form/form.module.css";
import { nameOf } from "~/pages/agents/form/recognise";

interface ToolRowProps {
  tool: ToolDraft;
  index: number;
  open: boolean;
  faults: FieldError[];
  onToggle: (key: number) => void;
  onWrite: (key: number, text: string) => void;
  onRemove: (key: number) => void;
}

/** One tool: a line to scan, its faults, and when opened who answers it and its JSON. */
export const ToolRow = memo(function ToolRow(props: ToolRowProps) {
  const { tool, index, open, faults, onToggle, onWrite, onRemove } = props;
  const name = nameOf(tool.value) || `tool ${index}`;
  const Chevron = open ? IconChevronDown : IconChevronRight;
  return (
    <li className={classes.tool} aria-label={name}>
      <div className={classes.toolHead}>
        <UnstyledButton
          className={classes.toolToggle}
          aria-expanded={open}
          aria-label={`${name}: ${open ? "close" : "edit"}`}
          onClick={() => onToggle(tool.key)}
        >
          <Chevron size={14} aria-hidden style={{ flexShrink: 0 }} />
          <span className={classes.toolName}>{name}</span>
          <span className={classes.parameters}>{parametersOf(tool.value)}</span>
        </UnstyledButton>
        {faults.length > 0 && (
          <ToneBadge tone="red">{faults.length === 1 ? "1 problem" : `${faults.length} problems`}</ToneBadge>
        )}
        <ModeBadge mode={modeOf(tool.value)} />
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={`Remove ${name}`}
          title="Remove"
          onClick={() => onRemove(tool.key)}
        >
          <IconTrash size={14} />
        </ActionIcon>
      </div>
      <FaultList faults={faults} />
      {open && (
        <div className={classes.editor}>
          <ExecutionFields
            tool={tool.value}
            name={name}
            onWrite={(text) => onWrite(tool.key, text)}
            faults={faults}
          />
          <JsonEditor
            label={`JSON of ${name}`}
            value={tool.text}
            onChange={(text) => onWrite(tool.key, text)}
            faults={faults}
            maxHeight={480}
          />
        </div>
      )}
    </li>
  );
});

/** `(order_id, status?)`: a question mark where it may be left out. */
function parametersOf(tool: unknown): string {
  if (!isObject(tool)) return "";
  const schema = tool.input_schema ?? tool.parameters;
  if (!isObject(schema) || !isObject(schema.properties)) return "()";
  const required = Array.isArray(schema.required) ? schema.required : [];
  const names = Object.keys(schema.properties).map((name) => (required.includes(name) ? name : `${name}?`));
  return `(${names.join(", ")})`;
}
