import { Button, Group, Stack, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { IconArrowsExchange } from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { api, data } from "~/api/client";
import { asProblem } from "~/api/problem";
import { type Agent, agentQuery } from "~/api/queries";
import { useIsAdmin } from "~/components/may-change";
import { TextLink } from "~/components/page";
import { Refusal } from "~/components/refusal";
import type { Tool } from "~/pages/agents/detail/tool";
import { ModeHelp } from "~/pages/agents/mode-help";
import { bindingOf, inMode, liveOnly } from "~/pages/agents/passthrough";

/** Who answers a tool, and the one click that changes it. */
export function ModeSwitch({ agent, tool }: { agent: Agent; tool: Tool }) {
  const isAdmin = useIsAdmin();
  const client = useQueryClient();
  const other = tool.mode === "sandbox" ? "passthrough" : "sandbox";
  const publishes = agent.published_version === agent.version;
  const flip = useMutation({
    mutationFn: () =>
      data(
        api.PUT("/api/agents/{agent_id}", {
          params: { path: { agent_id: agent.id }, query: { draft: !publishes } },
          body: {
            tools_schema: agent.tools_schema.map((each) =>
              each.name === tool.name ? inMode(each, other) : each,
            ),
          } as never,
        }),
      ),
    onSuccess: (changed) => {
      client.setQueryData(agentQuery(agent.id).queryKey, changed);
      void client.invalidateQueries({ queryKey: ["agents"] });
      void client.invalidateQueries({ queryKey: ["endpoints"] });
      const how = changed.published_version === changed.version ? "is published" : "is saved as a draft";
      notifications.show({ message: `${tool.name} is ${other} now: version ${changed.version} ${how}.` });
    },
  });
  const problem = flip.error === null ? null : asProblem(flip.error);
  return (
    <Stack gap={6} align="flex-start">
      <Text size="sm" style={{ overflowWrap: "anywhere" }}>
        {meaningOf(tool)}
      </Text>
      {isAdmin && (tool.mode === "passthrough" || tool.binding !== undefined) && (
        <Group gap="xs">
          <Button
            variant="default"
            leftSection={<IconArrowsExchange size={14} aria-hidden />}
            loading={flip.isPending}
            onClick={() => flip.mutate()}
          >
            Switch to {other}
          </Button>
          <Text size="xs" c="var(--ody-text-dim)">
            Makes version {agent.version + 1}
            {publishes ? " and publishes it" : ", as a draft"}. The agent itself is not touched, and runs that
            go on keep their version.
            {other === "sandbox" &&
              Object.keys(liveOnly(tool.stored)).length > 0 &&
              " Its ledger policy is left out."}
          </Text>
        </Group>
      )}
      {isAdmin && tool.mode === "sandbox" && tool.binding === undefined && (
        <TextLink to="/agents/$agentId/edit" params={{ agentId: agent.id }} size="xs">
          Bind it to a live tool
        </TextLink>
      )}
      {problem && (
        <Refusal
          error={problem.errors[0] ? new Error(problem.errors[0].msg) : problem}
          title="Not switched"
        />
      )}
      <ModeHelp />
    </Stack>
  );
}

function meaningOf(tool: Tool): string {
  if (tool.mode === "passthrough") {
    return "The live tool: each call is forwarded as it is, at most once, with its real effects.";
  }
  const { endpoint, tool: name } = bindingOf(tool.binding);
  return tool.binding === undefined
    ? "The simulated world. Nothing outside is asked or changed."
    : `The simulated world. Switched over, calls go to ${name} of ${endpoint}, with their real effects.`;
}
