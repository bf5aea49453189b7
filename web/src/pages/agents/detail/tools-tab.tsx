import { Text, TextInput, UnstyledButton } from "@mantine/core";
import { IconSearch } from "@tabler/icons-react";
import { getRouteApi } from "@tanstack/react-router";
import { type KeyboardEvent, useRef } from "react";
import type { Agent } from "~/api/queries";
import { ToneBadge } from "~/components/badges";
import { Panel } from "~/components/page";
import { Empty } from "~/components/states";
import { readTool, type Tool } from "~/pages/agents/detail/tool";
import { ToolDetail } from "~/pages/agents/detail/tool-detail";
import classes from "~/pages/agents/detail/tools-tab.module.css";
import { compact } from "~/shell/search";

const route = getRouteApi("/app/agents/$agentId");

/** All tools on the left, one of them in full on the right. */
export function ToolsTab({ agent }: { agent: Agent }) {
  const { tool: chosen, q = "" } = route.useSearch();
  const navigate = route.useNavigate();
  const list = useRef<HTMLUListElement>(null);
  const tools = agent.tools_schema.map(readTool);
  const shown = tools.filter((tool) => fits(tool, q));
  const selected = tools.find((tool) => tool.name === chosen) ?? shown[0];

  function search(change: { tool?: string | undefined; q?: string | undefined }) {
    void navigate({
      search: (before) => compact({ ...before, ...change }),
      replace: true,
      resetScroll: false,
    });
  }

  function walk(event: KeyboardEvent) {
    const step = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 }[event.key];
    const next = step && shown[shown.findIndex((tool) => tool.name === selected?.name) + step];
    if (!next) return;
    event.preventDefault();
    search({ tool: next.name });
    list.current?.querySelector<HTMLElement>(`[data-tool="${CSS.escape(next.name)}"]`)?.focus();
  }

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
    <div className={classes.split}>
      <Panel flush style={{ alignSelf: "start", minWidth: 0 }}>
        <TextInput
          data-filter
          size="xs"
          variant="unstyled"
          aria-label="Filter tools"
          placeholder={`Filter ${tools.length} tools`}
          leftSection={<IconSearch size={14} />}
          className={classes.filter ?? ""}
          value={q}
          onChange={(event) => search({ q: event.currentTarget.value || undefined })}
        />
        <ul ref={list} className={classes.list} aria-label="Tools">
          {shown.map((tool) => (
            <li key={tool.name}>
              <UnstyledButton
                className={classes.item}
                data-tool={tool.name}
                aria-current={tool.name === selected?.name}
                onClick={() => search({ tool: tool.name })}
                onKeyDown={walk}
              >
                <span className={classes.name}>{tool.name}</span>
                <ModeBadge mode={tool.mode} />
              </UnstyledButton>
            </li>
          ))}
        </ul>
        {shown.length === 0 && (
          <Text size="sm" c="var(--ody-text-dim)" p="sm">
            No tool has this text in its name or description.
          </Text>
        )}
      </Panel>
      {selected && <ToolDetail key={selected.name} tool={selected} />}
    </div>
  );
}

export function ModeBadge({ mode }: { mode: Tool["mode"] }) {
  return mode === "passthrough" ? (
    <ToneBadge tone="passthrough" help="Calls go to the live tool">
      passthrough
    </ToneBadge>
  ) : (
    <ToneBadge tone="odyssey" help="Calls are answered by the simulated world">
      sandbox
    </ToneBadge>
  );
}

function fits(tool: Tool, q: string): boolean {
  const sought = q.trim().toLowerCase();
  return [tool.name, tool.description].some((text) => text.toLowerCase().includes(sought));
}
