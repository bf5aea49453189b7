import { Stack, Text } from "@mantine/core";
import { IconTools } from "@tabler/icons-react";
import { getRouteApi } from "@tanstack/react-router";
import type { Endpoint, EndpointTool } from "~/api/endpoints";
import { ToneBadge } from "~/components/badges";
import { JsonView } from "~/components/json-view";
import { Panel } from "~/components/page";
import { SchemaTable } from "~/components/schema-table";
import { Empty } from "~/components/states";
import { ToolList, ToolPart } from "~/components/tool-list";
import classes from "~/pages/endpoints/endpoints.module.css";
import { TryTool } from "~/pages/endpoints/one/try-tool";
import { compact } from "~/shell/search";

const route = getRouteApi("/app/endpoints/$endpointId");

export function ToolsTab({ endpoint }: { endpoint: Endpoint }) {
  const { tool: chosen, q = "" } = route.useSearch();
  const navigate = route.useNavigate();
  if (endpoint.tools.length === 0) {
    return (
      <Panel>
        <Empty icon={<IconTools size={28} stroke={1.5} />} title="No tools">
          {endpoint.discovered_at === null
            ? "They have not been discovered yet."
            : "The service was reached and offers none."}
        </Empty>
      </Panel>
    );
  }
  return (
    <ToolList
      tools={endpoint.tools}
      chosen={chosen}
      q={q}
      onSearch={(change) =>
        void navigate({
          search: (before) => compact({ ...before, ...change }),
          replace: true,
          resetScroll: false,
        })
      }
      mark={(tool) => <ToolMark endpoint={endpoint} tool={tool} />}
    >
      {(tool) => <ToolDetail key={tool.name} endpoint={endpoint} tool={tool} />}
    </ToolList>
  );
}

function ToolMark({ endpoint: { drift }, tool }: { endpoint: Endpoint; tool: EndpointTool }) {
  if (drift?.added.includes(tool.name)) return <ToneBadge tone="green">new</ToneBadge>;
  if (drift?.changed.some(({ name }) => name === tool.name))
    return <ToneBadge tone="amber">changed</ToneBadge>;
  return tool.read_only ? <ToneBadge tone="neutral">reads</ToneBadge> : null;
}

function ToolDetail({ endpoint, tool }: { endpoint: Endpoint; tool: EndpointTool }) {
  return (
    <Panel
      title={tool.name}
      tools={
        tool.read_only ? (
          <ToneBadge tone="neutral" help="The service says of it that it changes nothing">
            reads only
          </ToneBadge>
        ) : (
          <ToneBadge tone="amber" help="A call of it may change something at the service">
            may change something
          </ToneBadge>
        )
      }
      style={{ minWidth: 0 }}
    >
      <Stack gap="md">
        {tool.method && (
          <span className={classes.operation}>
            <span className={classes.method}>{tool.method.toUpperCase()}</span>
            {tool.path}
          </span>
        )}
        <Text size="sm" style={{ whiteSpace: "pre-wrap", overflowWrap: "anywhere" }}>
          {tool.description || "No description."}
        </Text>
        <ToolPart title="Parameters">
          <SchemaTable label="Parameters" schema={tool.input_schema} none="Takes no parameters." />
        </ToolPart>
        <ToolPart title="Answer">
          {tool.output_schema === null ? (
            <Text size="sm" c="var(--ody-text-dim)">
              The service does not say what it answers.
            </Text>
          ) : (
            <SchemaTable label="Answer" schema={tool.output_schema} none="Declares no members." />
          )}
        </ToolPart>
        <ToolPart title="Try it">
          <TryTool endpoint={endpoint} tool={tool} />
        </ToolPart>
        <ToolPart title="As JSON">
          <JsonView value={tool} name={`tool ${tool.name}`} depth={1} />
        </ToolPart>
      </Stack>
    </Panel>
  );
}
