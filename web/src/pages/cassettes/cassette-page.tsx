import { Button, Modal, Tabs, Text } from "@mantine/core";
import { IconPlayerPlay, IconTrash } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { type Cassette, cassetteQuery, PORTION } from "~/api/cassettes";
import { agentsQuery } from "~/api/queries";
import { size } from "~/components/counted";
import type { CurlRequest } from "~/components/curl";
import { Fact, Facts } from "~/components/facts";
import { useMayChange } from "~/components/may-change";
import { ButtonLink, Page, TextLink } from "~/components/page";
import { ErrorState, PageLoading } from "~/components/states";
import { Ago } from "~/components/time";
import { CompareTab } from "~/pages/cassettes/compare-tab";
import { DeleteCassette } from "~/pages/cassettes/delete-cassette";
import { Interactions } from "~/pages/cassettes/interactions";

const route = getRouteApi("/app/cassettes/$cassetteId");

export function CassettePage() {
  const { cassetteId } = route.useParams();
  const { data: cassette, error, refetch } = useQuery(cassetteQuery(cassetteId));
  if (cassette) return <Loaded key={cassetteId} cassette={cassette} />;
  return error ? <ErrorState error={error} retry={() => void refetch()} /> : <PageLoading />;
}

function Loaded({ cassette }: { cassette: Cassette }) {
  const { tab = "calls" } = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <Page
      title={cassette.name}
      trail={[
        <TextLink key="cassettes" to="/cassettes">
          Cassettes
        </TextLink>,
      ]}
      actions={<Actions cassette={cassette} />}
      curl={requests(cassette)}
    >
      <CassetteFacts cassette={cassette} />
      <Tabs
        value={tab}
        onChange={(next) =>
          void navigate({ search: next === "compare" ? { tab: next } : {}, resetScroll: false })
        }
      >
        <Tabs.List mb="md">
          <Tabs.Tab value="calls">Calls ({cassette.interactions.toLocaleString("en")})</Tabs.Tab>
          <Tabs.Tab value="compare">Compare with the live tools</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="calls">
          <Interactions cassette={cassette} />
        </Tabs.Panel>
        <Tabs.Panel value="compare">
          <CompareTab cassette={cassette} />
        </Tabs.Panel>
      </Tabs>
    </Page>
  );
}

function Actions({ cassette }: { cassette: Cassette }) {
  const [deleting, setDeleting] = useState(false);
  if (!useMayChange()) return null;
  return (
    <>
      <ButtonLink
        to="/runs/new"
        search={{ like: cassette.run_id, cassette: cassette.id }}
        leftSection={<IconPlayerPlay size={15} aria-hidden />}
      >
        Replay in a new run
      </ButtonLink>
      <Button
        variant="default"
        leftSection={<IconTrash size={15} aria-hidden />}
        onClick={() => setDeleting(true)}
      >
        Delete
      </Button>
      <Modal opened={deleting} onClose={() => setDeleting(false)} title="Delete this cassette" size="md">
        <DeleteCassette cassette={cassette} onKeep={() => setDeleting(false)} />
      </Modal>
    </>
  );
}

function CassetteFacts({ cassette }: { cassette: Cassette }) {
  const { data: agents = [] } = useQuery(agentsQuery);
  const agent = agents.find(({ id }) => id === cassette.agent_id);
  return (
    <Facts label="About this cassette">
      <Fact label="Recorded from">
        <TextLink to="/runs/$runId" params={{ runId: cassette.run_id }}>
          Run {cassette.run_id}
        </TextLink>
        {cassette.attempt > 1 && (
          <Text span size="sm" c="var(--ody-text-dim)">
            attempt {cassette.attempt}
          </Text>
        )}
      </Fact>
      <Fact label="Agent">
        <TextLink to="/agents/$agentId" params={{ agentId: cassette.agent_id }}>
          {agent?.name ?? cassette.agent_id}
        </TextLink>
        <Text span size="sm" c="var(--ody-text-dim)">
          v{cassette.agent_version}
        </Text>
      </Fact>
      <Fact label="Calls">{cassette.interactions.toLocaleString("en")}</Fact>
      <Fact label="Size">{size(cassette.bytes)}</Fact>
      <Fact label="Recorded">
        <Ago at={cassette.created_at} />
      </Fact>
    </Facts>
  );
}

function requests(cassette: Cassette): CurlRequest[] {
  const base = `/api/cassettes/${cassette.id}`;
  return [
    { what: "This cassette", path: base },
    { what: "What it holds", path: `${base}/interactions?limit=50` },
    {
      what: `Compare its first ${PORTION} calls with the live tools`,
      method: "POST",
      path: `${base}/diff`,
      body: {},
    },
    {
      what: "Replay it",
      method: "POST",
      path: "/api/runs",
      body: {
        agent_id: cassette.agent_id,
        seeds: [{ user_instruction: "…" }],
        cassette: { id: cassette.id, match: "strict", on_miss: "fail" },
      },
    },
  ];
}
