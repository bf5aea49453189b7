import { Button } from "@mantine/core";
import { IconPlugConnected } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import { api, data } from "~/api/client";
import type { Agent } from "~/api/queries";
import { ConnectionResult } from "~/pages/agents/detail/connection-test";
import { type AgentDraft, connectionOf } from "~/pages/agents/form/draft";

/** Ask the endpoint that stands in the form whether it is there; nothing is saved. */
export function TryConnection({ draft, saved }: { draft: AgentDraft; saved: Agent | null }) {
  const test = useMutation({ mutationFn: () => ping(draft, saved) });
  const hasValue =
    draft.authHeaderValue === undefined ? saved?.auth_header_set === true : !!draft.authHeaderValue;
  return (
    <>
      <div>
        <Button
          variant="default"
          leftSection={<IconPlugConnected size={15} />}
          disabled={draft.endpointUrl.trim() === ""}
          loading={test.isPending}
          onClick={() => test.mutate()}
        >
          Test connection
        </Button>
      </div>
      <ConnectionResult
        authHeader={hasValue && draft.authHeaderName !== "" ? draft.authHeaderName.trim() : null}
        where="above"
        result={test.data}
        error={test.error}
        onClose={test.reset}
      />
    </>
  );
}

function ping(draft: AgentDraft, saved: Agent | null) {
  const body = { config: connectionOf(draft) } as never;
  return saved === null
    ? data(api.POST("/api/agents/test-connection", { body }))
    : data(
        api.POST("/api/agents/{agent_id}/test-connection", {
          params: { path: { agent_id: saved.id } },
          body,
        }),
      );
}
