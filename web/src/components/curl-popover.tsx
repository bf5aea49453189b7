import { Code, Group, Popover, Stack, Text } from "@mantine/core";
import { Copy } from "~/components/copy";
import { CurlButton, type CurlRequest, curlCommand } from "~/components/curl";

/** The key is a variable: nothing secret is ever copied. */
export default function CurlPopover({ requests }: { requests: CurlRequest[] }) {
  return (
    <Popover defaultOpened position="bottom-end" width={520} withArrow trapFocus>
      <Popover.Target>
        <CurlButton />
      </Popover.Target>
      <Popover.Dropdown maw="calc(100vw - 24px)">
        <Stack gap="sm">
          <Text size="xs" c="var(--ody-text-dim)">
            The same from a terminal, with an API key in ODYSSEY_API_KEY.
          </Text>
          {requests.map((request) => (
            <div key={request.what}>
              <Group justify="space-between" gap="xs">
                <Text size="xs" fw={600}>
                  {request.what}
                </Text>
                <Copy value={curlCommand(request)} what={`curl for ${request.what}`} />
              </Group>
              <Code
                block
                fz="xs"
                mah={220}
                tabIndex={0}
                style={{ whiteSpace: "pre-wrap", overflowWrap: "anywhere" }}
              >
                {curlCommand(request)}
              </Code>
            </div>
          ))}
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}
