import { Input, NumberInput, SegmentedControl, Select, SimpleGrid, Text } from "@mantine/core";
import { useMemo } from "react";
import { errorsAt, messageAt } from "~/api/problem";
import { FormSection } from "~/components/form/form-section";
import { JsonEditor } from "~/components/json-editor";
import { modeOf } from "~/components/mode-badge";
import { isObject } from "~/components/rules/json-text";
import { ENGINE_WORDS, UNKNOWN_TOOLS_WORDS } from "~/pages/agents/engines";
import { ENGINES, type Engine, UNKNOWN_TOOLS, type UnknownTools, withText } from "~/pages/agents/form/draft";
import type { FieldsProps } from "~/pages/agents/form/endpoint-section";
import { FaultList } from "~/pages/agents/form/fault-list";
import { inside } from "~/pages/agents/form/faults";

const AS_ALL = "as all tools";
const EXAMPLE = `{
  "cancel_order": {
    "let": { "order": "entity('order', args.order_id)" },
    "require": [{ "that": "order != null", "else": { "code": "not_found", "message": "No order {args.order_id}." } }],
    "operations": [{ "op": "update", "entity_type": "order", "id": "= args.order_id", "fields": { "status": "cancelled" } }],
    "response": { "cancelled": "= args.order_id" }
  }
}`;

/** Who answers simulated calls, and the programs that do. */
export function EnginesSection({ draft, change, faults }: FieldsProps) {
  const here = useMemo(() => errorsAt(faults, "config", "programs").map(inside(2)), [faults]);
  const names = draft.tools
    .map((tool) => tool.value)
    .filter(isObject)
    .filter((tool) => modeOf(tool) !== "passthrough" && typeof tool.name === "string")
    .map((tool) => String(tool.name));
  const gone = Object.keys(draft.engines).filter((name) => !names.includes(name));

  function choose(tool: string, engine: string | null) {
    const { [tool]: _, ...others } = draft.engines;
    change({ engines: engine === null || engine === AS_ALL ? others : { ...others, [tool]: engine } });
  }

  return (
    <FormSection title="Simulation" about="Who answers the tools that are simulated.">
      <Input.Wrapper label="Engine" labelElement="div" error={messageAt(faults, "config", "engine")}>
        <div>
          <SegmentedControl
            size="xs"
            aria-label="Engine"
            data={[...ENGINES]}
            value={draft.engine}
            onChange={(engine) => change({ engine: engine as Engine })}
          />
        </div>
        <Text size="xs" c="var(--ody-text-dim)" mt={4}>
          {ENGINE_WORDS[draft.engine]}
        </Text>
      </Input.Wrapper>
      {[...names, ...gone].length > 0 && (
        <SimpleGrid cols={{ base: 1, xs: 2, md: 3 }} spacing="sm" maw={640}>
          {[...new Set([...names, ...gone])].map((name) => (
            <Select
              key={name}
              size="xs"
              label={`Engine of ${name}`}
              data={[AS_ALL, ...ENGINES]}
              value={draft.engines[name] ?? AS_ALL}
              onChange={(engine) => choose(name, engine)}
              allowDeselect={false}
              error={messageAt(faults, "config", "engines", name)}
            />
          ))}
        </SimpleGrid>
      )}
      <Input.Wrapper
        label="What nobody understands"
        labelElement="div"
        error={messageAt(faults, "config", "unknown_tools")}
      >
        <div>
          <SegmentedControl
            size="xs"
            aria-label="What nobody understands"
            data={[...UNKNOWN_TOOLS]}
            value={draft.unknownTools}
            onChange={(unknownTools) => change({ unknownTools: unknownTools as UnknownTools })}
          />
        </div>
        <Text size="xs" c="var(--ody-text-dim)" mt={4}>
          {UNKNOWN_TOOLS_WORDS[draft.unknownTools]}
        </Text>
      </Input.Wrapper>
      <NumberInput
        size="xs"
        maw={320}
        label="Ask a model above"
        description="How often the world may be expected to be wrong before auto asks the simulator model."
        min={0}
        max={1}
        step={0.05}
        value={draft.askModelAbove}
        onChange={(askModelAbove) => change({ askModelAbove })}
        error={messageAt(faults, "config", "ask_model_above")}
      />
      <Input.Wrapper
        label="Programs"
        labelElement="div"
        description="For each tool: preconditions, changes to the ledger and a response, with CEL expressions."
      >
        <JsonEditor
          label="Programs as JSON"
          placeholder={EXAMPLE}
          value={draft.programs.text}
          onChange={(text) => change({ programs: withText(draft.programs, text) })}
          faults={here}
        />
      </Input.Wrapper>
      <FaultList faults={here} />
    </FormSection>
  );
}
