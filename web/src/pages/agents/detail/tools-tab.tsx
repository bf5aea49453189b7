import { Group } from "@mantine/core";
import { getRouteApi } from "@tanstack/react-router";
import type { Agent } from "~/api/queries";
import { ModeBadge } from "~/components/mode-badge";
import { Panel } from "~/components/page";
import { Empty } from "~/components/states";
import { ToolList } from "~/components/tool-list";
import { NotUnderstood } from "~/pages/agents/detail/readings";
import { readTool } from "~/pages/agents/detail/tool";
import { ToolDetail } from "~/pages/agents/detail/tool-detail";
import { compact } from "~/shell/search";

const route = getRouteApi("/app/agents/$agentId");

export function ToolsTab({ agent }: { agent: Agent }) {
  const { tool: chosen, q = "" } = route.useSearch();
  const navigate = route.useNavigate();
  const tools = agent.tools_schema.map(readTool);

  if (tools.length === 0) {
    return (
      <Panel>
        <Empty title="No tools">
          This agent answers without calling anything. If it does call tools, add them under Edit, so that
          Odyssey can play them.
        </Empty>
      </Panel>
    );
  }
  return (
    <ToolList
      tools={tools}
      chosen={chosen}
      q={q}
      onSearch={(change) =>
        void navigate({
          search: (before) => compact({ ...before, ...change }),
          replace: true,
          resetScroll: false,
        })
      }
      mark={(tool) => (
        <Group gap={4} wrap="nowrap">
          <NotUnderstood agent={agent} tool={tool.name} />
          <ModeBadge mode={tool.mode} />
        </Group>
      )}
    >
      {(tool) => <ToolDetail key={tool.name} agent={agent} tool={tool} />}
    </ToolList>
  );
}
