import { Button, Group } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import type { World } from "~/api/worlds";
import { downloadJson } from "~/components/download";
import { JsonView } from "~/components/json-view";
import { Panel } from "~/components/page";

export function RawTab({ world }: { world: World }) {
  return (
    <Panel
      title="As the API gives it"
      tools={
        <Group gap="xs">
          <Button
            variant="default"
            leftSection={<IconDownload size={14} />}
            onClick={() => downloadJson(world.initial_state, `world-${world.id}-state.json`)}
          >
            Download the state
          </Button>
          <Button
            variant="default"
            leftSection={<IconDownload size={14} />}
            onClick={() => downloadJson(world, `world-${world.id}.json`)}
          >
            Download all
          </Button>
        </Group>
      }
    >
      <JsonView value={world} name="the world" />
    </Panel>
  );
}
