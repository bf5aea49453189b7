import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { endpointsQuery } from "~/api/endpoints";
import { ToneBadge } from "~/components/badges";
import { TextLink } from "~/components/page";
import { Pairs } from "~/components/section";
import { bindingOf } from "~/pages/agents/passthrough";

interface BindingFactsProps {
  binding: unknown;
  /** Calls go there now. */
  live: boolean;
}

/** The live tool a tool is bound to. */
export function BindingFacts({ binding, live }: BindingFactsProps) {
  const { endpoint, tool } = bindingOf(binding);
  const { data: endpoints } = useQuery(endpointsQuery);
  const found = endpoints?.find(({ id, name }) => id === endpoint || name === endpoint);
  return (
    <>
      <Pairs
        pairs={[
          [
            "Endpoint",
            found ? (
              <TextLink
                key="link"
                to="/endpoints/$endpointId"
                params={{ endpointId: found.id }}
                search={{ tool }}
              >
                {found.name}
              </TextLink>
            ) : (
              <span key="missing">
                {endpoint}{" "}
                {endpoints && (
                  <ToneBadge tone="red" help="No endpoint of this organisation has this name or id">
                    not there
                  </ToneBadge>
                )}
              </span>
            ),
          ],
          ["Tool", <code key="tool">{tool}</code>],
          ["Address", found?.base_url ?? null],
        ]}
      />
      {!live && (
        <Text size="xs" c="var(--ody-text-dim)" mt={4}>
          Kept for the day it is switched over; no call goes there now.
        </Text>
      )}
    </>
  );
}
