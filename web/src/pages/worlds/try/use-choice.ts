import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { type Agent, agentsQuery } from "~/api/queries";
import { readStrict, Unread } from "~/components/rules/json-text";
import { type ToolInfo, toolsOf } from "~/components/rules/tools";
import { compact } from "~/shell/search";

const route = getRouteApi("/app/worlds/$worldId");

interface Change {
  agent?: number | undefined;
  tool?: string | undefined;
  args?: string | undefined;
}

/** The agent, the tool and the arguments to be tried: the address names them, so that every tab means the same. */
export interface Choice {
  /** Agents that declare tools; null until they are known. */
  agents: Agent[] | null;
  error: Error | null;
  retry: () => void;
  agent: Agent | undefined;
  tools: ToolInfo[];
  tool: ToolInfo | undefined;
  /** A form, and the arguments it begins with. */
  form: { key: string; start: unknown };
  go: (change: Change) => void;
  /** Another agent or tool, with an empty form. */
  choose: (change: Change & { agent: number }) => void;
  /** Another form with these arguments in it. */
  begin: (tool: string | undefined, start: unknown) => void;
}

export function useChoice(): Choice {
  const { agent: agentId, tool: toolName, args } = route.useSearch();
  const navigate = route.useNavigate();
  const { data, error, refetch } = useQuery(agentsQuery);
  const [form, setForm] = useState({ count: 0, tool: toolName, start: addressed(args) });
  const agents = useMemo(() => data?.filter((agent) => agent.tools_schema.length > 0) ?? null, [data]);
  const agent = agents?.find(({ id }) => id === agentId) ?? agents?.[0];
  const tools = useMemo(() => toolsOf(agent?.tools_schema), [agent]);
  const tool = tools.find(({ name }) => name === toolName) ?? tools[0];

  function go(change: Change) {
    void navigate({
      search: (before) => compact({ ...before, ...change }),
      replace: true,
      resetScroll: false,
    });
  }

  function begin(tool: string | undefined, start: unknown) {
    setForm(({ count }) => ({ count: count + 1, tool, start }));
  }

  return {
    agents,
    error,
    retry: () => void refetch(),
    agent,
    tools,
    tool,
    // Another tab may have chosen another tool since: those arguments are not this one's.
    form: {
      key: `${agent?.id} ${tool?.name} ${form.count}`,
      start: form.tool === toolName ? form.start : {},
    },
    go,
    choose: (change) => {
      begin(change.tool, {});
      go({ tool: undefined, args: undefined, ...change });
    },
    begin,
  };
}

/** The arguments the address names. */
function addressed(args: string | undefined): unknown {
  const value = args === undefined ? {} : readStrict(args);
  return value instanceof Unread || value === undefined ? {} : value;
}
