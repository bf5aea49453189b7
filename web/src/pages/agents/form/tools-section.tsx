import { Button, Group, Text } from "@mantine/core";
import { IconFileImport, IconPlus } from "@tabler/icons-react";
import { useCallback, useMemo, useState } from "react";
import { errorsAt, type FieldError } from "~/api/problem";
import { FormSection } from "~/components/form/form-section";
import { useLatest } from "~/components/use-latest";
import { type AgentDraft, type ToolDraft, toolDraft, withText } from "~/pages/agents/form/draft";
import { FaultList } from "~/pages/agents/form/fault-list";
import { inside } from "~/pages/agents/form/faults";
import classes from "~/pages/agents/form/form.module.css";
import { nameOf } from "~/pages/agents/form/recognise";
import { ToolRow } from "~/pages/agents/form/tool-row";

interface ToolsSectionProps {
  tools: ToolDraft[];
  change: (update: (draft: AgentDraft) => Partial<AgentDraft>) => void;
  faults: FieldError[];
  onImport: () => void;
}

const NEW_TOOL = {
  name: "",
  description: "",
  input_schema: { type: "object", properties: {}, required: [], additionalProperties: false },
};
const NO_FAULTS: FieldError[] = [];

export function ToolsSection({ tools, change, faults, onImport }: ToolsSectionProps) {
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set());
  const [removed, setRemoved] = useState<{ tool: ToolDraft; index: number } | null>(null);
  const shown = useLatest(tools);
  const byTool = useMemo(() => faultsByTool(faults), [faults]);

  const toggle = useCallback((key: number) => {
    setOpen((before) =>
      before.has(key) ? new Set([...before].filter((k) => k !== key)) : new Set([...before, key]),
    );
  }, []);
  const write = useCallback(
    (key: number, text: string) =>
      change((draft) => ({
        tools: draft.tools.map((tool) => (tool.key === key ? withText(tool, text) : tool)),
      })),
    [change],
  );
  const remove = useCallback(
    (key: number) => {
      const index = shown.current.findIndex((tool) => tool.key === key);
      const tool = shown.current[index];
      if (tool) setRemoved({ tool, index });
      change((draft) => ({ tools: draft.tools.filter((other) => other.key !== key) }));
    },
    [change, shown],
  );

  function add() {
    const tool = toolDraft(NEW_TOOL);
    change((draft) => ({ tools: [...draft.tools, tool] }));
    toggle(tool.key);
  }

  function putBack() {
    if (removed === null) return;
    change((draft) => ({ tools: draft.tools.toSpliced(removed.index, 0, removed.tool) }));
    setRemoved(null);
  }

  return (
    <FormSection
      title={tools.length === 0 ? "Tools" : `Tools (${tools.length})`}
      about="What the agent can call, as JSON Schema. The simulated world answers these calls, or a live tool that they are forwarded to; a call that does not fit the schema is refused."
    >
      {tools.length === 0 ? (
        <Text size="sm" c="var(--ody-text-dim)">
          No tools yet. Import the list your agent already gives to its model: OpenAI's and Anthropic's shapes
          are understood.
        </Text>
      ) : (
        <ul className={classes.tools} aria-label="Tools">
          {tools.map((tool, index) => (
            <ToolRow
              key={tool.key}
              tool={tool}
              index={index}
              open={open.has(tool.key)}
              faults={byTool.get(index) ?? NO_FAULTS}
              onToggle={toggle}
              onWrite={write}
              onRemove={remove}
            />
          ))}
        </ul>
      )}
      <FaultList
        faults={faults.filter(({ loc }) => loc[0] === "tools_schema" && loc.length === 1).map(inside(1))}
      />
      <Group gap="xs">
        <Button variant="default" leftSection={<IconPlus size={14} />} onClick={add}>
          Add a tool
        </Button>
        <Button variant="default" leftSection={<IconFileImport size={14} />} onClick={onImport}>
          Import JSON
        </Button>
        {removed && (
          <Text size="xs" c="var(--ody-text-dim)" role="status">
            Removed {nameOf(removed.tool.value) || "a tool"}.{" "}
            <Button variant="transparent" size="compact-xs" px={0} onClick={putBack}>
              Put it back
            </Button>
          </Text>
        )}
      </Group>
    </FormSection>
  );
}

/** One list per tool with faults, so that the rows of all others need not be drawn again. */
function faultsByTool(faults: FieldError[]): Map<number, FieldError[]> {
  const indexes = errorsAt(faults, "tools_schema").map(({ loc }) => loc[1]);
  return new Map(
    [...new Set(indexes)]
      .filter((index) => typeof index === "number")
      .map((index) => [index, errorsAt(faults, "tools_schema", index).map(inside(2))]),
  );
}
