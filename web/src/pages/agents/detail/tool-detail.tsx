import { Stack, Text } from "@mantine/core";
import type { Agent } from "~/api/queries";
import { JsonView } from "~/components/json-view";
import { ModeBadge } from "~/components/mode-badge";
import { Panel } from "~/components/page";
import { SchemaTable } from "~/components/schema-table";
import { ToolPart } from "~/components/tool-list";
import { BindingFacts } from "~/pages/agents/detail/binding-facts";
import { ModeSwitch } from "~/pages/agents/detail/mode-switch";
import { ReadAs } from "~/pages/agents/detail/readings";
import { readSettings } from "~/pages/agents/detail/settings";
import type { Tool } from "~/pages/agents/detail/tool";
import { ENGINE_WORDS } from "~/pages/agents/engines";
import { POLICIES } from "~/pages/agents/passthrough";

/** Which engine simulates the tool, and its program. */
function Simulated({ agent, tool }: { agent: Agent; tool: Tool }) {
  const { engine, engines, programs } = readSettings(agent);
  const program = programs[tool.name];
  return (
    <ToolPart title="Simulated by">
      <Text size="sm" mb={program === undefined ? 0 : "xs"}>
        {ENGINE_WORDS[engines[tool.name] ?? engine] ?? engines[tool.name]}
      </Text>
      {program !== undefined && <JsonView value={program} name={`the program of ${tool.name}`} depth={4} />}
    </ToolPart>
  );
}

export function ToolDetail({ agent, tool }: { agent: Agent; tool: Tool }) {
  return (
    <Panel title={tool.name} tools={<ModeBadge mode={tool.mode} />} style={{ minWidth: 0 }}>
      <Stack gap="md">
        <Text size="sm" style={{ whiteSpace: "pre-wrap", overflowWrap: "anywhere" }}>
          {tool.description || "No description."}
        </Text>
        <ToolPart title="Who answers">
          <ModeSwitch agent={agent} tool={tool} />
        </ToolPart>
        {tool.mode === "sandbox" && <Simulated agent={agent} tool={tool} />}
        {tool.mode === "sandbox" && <ReadAs agent={agent} tool={tool.name} />}
        {tool.binding !== undefined && (
          <ToolPart title="Live tool">
            <BindingFacts binding={tool.binding} live={tool.mode === "passthrough"} />
          </ToolPart>
        )}
        {tool.mode === "passthrough" && (
          <ToolPart title="Ledger">
            <Text size="sm" mb="xs">
              {POLICIES[tool.writePolicy ?? "record_only"]}
            </Text>
            {tool.adapter !== undefined && (
              <JsonView value={tool.adapter} name="the ledger adapter" depth={4} />
            )}
          </ToolPart>
        )}
        <ToolPart title="Parameters">
          <SchemaTable label="Parameters" schema={tool.inputSchema} none="Takes no parameters." />
        </ToolPart>
        <ToolPart title="Answer">
          {tool.outputSchema === undefined ? (
            <Text size="sm" c="var(--ody-text-dim)">
              No output schema: any answer of the simulated world is taken.
            </Text>
          ) : (
            <SchemaTable label="Answer" schema={tool.outputSchema} none="Declares no members." />
          )}
        </ToolPart>
        <ToolPart title="As JSON">
          <JsonView value={tool.stored} name={`tool ${tool.name}`} depth={1} />
        </ToolPart>
      </Stack>
    </Panel>
  );
}
