import { Button, Menu, Modal } from "@mantine/core";
import { IconPencil, IconRefresh, IconTrash } from "@tabler/icons-react";
import { useState } from "react";
import type { Endpoint } from "~/api/endpoints";
import { useIsAdmin } from "~/components/may-change";
import { MoreMenu } from "~/components/more-menu";
import { ButtonLink } from "~/components/page";
import { DeleteEndpoint } from "~/pages/endpoints/one/delete-endpoint";
import type { Discovery } from "~/pages/endpoints/one/use-discovery";

export function EndpointActions({ endpoint, discovery }: { endpoint: Endpoint; discovery: Discovery }) {
  const [deleting, setDeleting] = useState(false);
  if (!useIsAdmin()) return null;
  return (
    <>
      <Button
        leftSection={<IconRefresh size={15} aria-hidden />}
        loading={discovery.going}
        onClick={discovery.start}
      >
        Discover again
      </Button>
      <ButtonLink
        to="/endpoints/$endpointId/edit"
        params={{ endpointId: endpoint.id }}
        variant="default"
        leftSection={<IconPencil size={15} aria-hidden />}
      >
        Edit
      </ButtonLink>
      <MoreMenu>
        <Menu.Item color="red" leftSection={<IconTrash size={14} />} onClick={() => setDeleting(true)}>
          Delete
        </Menu.Item>
      </MoreMenu>
      <Modal opened={deleting} onClose={() => setDeleting(false)} title="Delete this endpoint" size="md">
        <DeleteEndpoint endpoint={endpoint} onKeep={() => setDeleting(false)} />
      </Modal>
    </>
  );
}
