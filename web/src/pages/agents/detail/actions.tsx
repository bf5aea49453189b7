import { Button, Menu, Tooltip } from "@mantine/core";
import { IconPencil, IconPlayerPlay, IconPlugConnected, IconTrash, IconUpload } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { type Agent, sessionQuery } from "~/api/queries";
import { adminsOnly } from "~/components/admins-only";
import { useIsAdmin } from "~/components/may-change";
import { MoreMenu } from "~/components/more-menu";
import { ButtonLink } from "~/components/page";
import { DeleteDialog } from "~/pages/agents/detail/delete-dialog";
import { PublishDialog } from "~/pages/agents/detail/publish-dialog";

interface ActionsProps {
  agent: Agent;
  testing: boolean;
  onTest: () => void;
}

export function Actions({ agent, testing, onTest }: ActionsProps) {
  const [asking, setAsking] = useState<"publish" | "delete" | null>(null);
  const isAdmin = useIsAdmin();
  const newer = agent.published_version !== agent.version;
  const close = () => setAsking(null);
  return (
    <>
      <NewRun agent={agent} />
      {agent.mode === "http" && (
        <Tooltip label={adminsOnly("agents")} disabled={isAdmin}>
          <Button
            variant="default"
            leftSection={<IconPlugConnected size={15} />}
            loading={testing}
            disabled={!isAdmin}
            onClick={onTest}
          >
            Test connection
          </Button>
        </Tooltip>
      )}
      {isAdmin && newer && agent.mode === "http" && (
        <Button variant="default" leftSection={<IconUpload size={15} />} onClick={() => setAsking("publish")}>
          Publish v{agent.version}
        </Button>
      )}
      {isAdmin && (
        <>
          <ButtonLink
            to="/agents/$agentId/edit"
            params={{ agentId: agent.id }}
            variant="default"
            leftSection={<IconPencil size={15} />}
          >
            Edit
          </ButtonLink>
          <MoreMenu>
            <Menu.Item color="red" leftSection={<IconTrash size={14} />} onClick={() => setAsking("delete")}>
              Delete
            </Menu.Item>
          </MoreMenu>
        </>
      )}
      <PublishDialog agent={agent} opened={asking === "publish"} onClose={close} />
      <DeleteDialog agent={agent} opened={asking === "delete"} onClose={close} />
    </>
  );
}

function NewRun({ agent }: { agent: Agent }) {
  const role = useQuery(sessionQuery).data?.person.role;
  const hindrance =
    role === "viewer"
      ? "Only members and admins may start runs"
      : agent.published_version === null
        ? "Publish it first: drafts are not given runs"
        : null;
  if (hindrance !== null) {
    return (
      <Tooltip label={hindrance}>
        <Button leftSection={<IconPlayerPlay size={15} />} disabled>
          New run
        </Button>
      </Tooltip>
    );
  }
  return (
    <ButtonLink to="/runs/new" search={{ agent_id: agent.id }} leftSection={<IconPlayerPlay size={15} />}>
      New run
    </ButtonLink>
  );
}
