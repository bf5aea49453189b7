import { Stack, Text, UnstyledButton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { type KeyboardEvent, useRef } from "react";
import { type Cassette, type Interaction, interactionsQuery } from "~/api/cassettes";
import { writeJson } from "~/api/json";
import { SourceBadge, ToneBadge } from "~/components/badges";
import { JsonView } from "~/components/json-view";
import { Panel, TextLink } from "~/components/page";
import { Response } from "~/components/response";
import { Pairs, Section } from "~/components/section";
import { ErrorState, RowsLoading } from "~/components/states";
import { Ago } from "~/components/time";
import { TransportFailure } from "~/components/transport-failure";
import classes from "~/pages/cassettes/cassettes.module.css";
import { compact } from "~/shell/search";

const route = getRouteApi("/app/cassettes/$cassetteId");
const MOST_SHOWN = 400;

/** The recorded calls on the left, one of them in full on the right. */
export function Interactions({ cassette }: { cassette: Cassette }) {
  const { call } = route.useSearch();
  const navigate = route.useNavigate();
  const list = useRef<HTMLOListElement>(null);
  const { data: interactions, error, refetch } = useQuery(interactionsQuery(cassette.id));

  if (!interactions) {
    return error ? <ErrorState error={error} retry={() => void refetch()} /> : <RowsLoading />;
  }
  const shown = interactions.slice(0, MOST_SHOWN);
  const index = Math.max(
    interactions.findIndex(({ number }) => number === call),
    0,
  );
  const chosen = interactions[index];

  function show(number: number) {
    void navigate({
      search: (before) => compact({ ...before, call: number }),
      replace: true,
      resetScroll: false,
    });
  }

  function walk(event: KeyboardEvent) {
    const step = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 }[event.key];
    const next = step && shown[index + step];
    if (!next) return;
    event.preventDefault();
    show(next.number);
    list.current?.querySelector<HTMLElement>(`[data-number="${next.number}"]`)?.focus();
  }

  return (
    <div className={classes.split}>
      <Panel flush style={{ minWidth: 0 }}>
        <ol ref={list} className={classes.list} aria-label="Recorded calls">
          {shown.map((each, place) => (
            <li key={each.number}>
              <UnstyledButton
                className={classes.item}
                data-number={each.number}
                aria-current={each === chosen}
                onClick={() => show(each.number)}
                onKeyDown={walk}
              >
                <span className={classes.number}>{place + 1}</span>
                <span className={classes.tool}>{each.tool_name}</span>
                <ResultBadge interaction={each} />
                <span className={classes.arguments}>{writeJson(each.arguments, 0)}</span>
              </UnstyledButton>
            </li>
          ))}
        </ol>
        {interactions.length > MOST_SHOWN && (
          <Text size="xs" c="var(--ody-text-dim)" p="sm">
            And {(interactions.length - MOST_SHOWN).toLocaleString("en")} more: the curl above reads them all.
          </Text>
        )}
      </Panel>
      {chosen && <InteractionDetail key={chosen.number} interaction={chosen} />}
    </div>
  );
}

function ResultBadge({ interaction: { source, status, is_error } }: { interaction: Interaction }) {
  if (source === "transport_error") return <ToneBadge tone="transport_error">no answer</ToneBadge>;
  if (is_error) return <ToneBadge tone="amber">{status === null ? "error" : `HTTP ${status}`}</ToneBadge>;
  return <ToneBadge tone="passthrough">{status === null ? "answered" : `HTTP ${status}`}</ToneBadge>;
}

function InteractionDetail({ interaction }: { interaction: Interaction }) {
  const { endpoint_id, endpoint, run_id, sequence } = interaction;
  return (
    <Panel
      title={interaction.tool_name}
      tools={<SourceBadge source={interaction.source} />}
      style={{ minWidth: 0 }}
    >
      <Stack gap="md">
        {interaction.source === "transport_error" && <TransportFailure response={interaction.response} />}
        <Pairs
          pairs={[
            [
              "Endpoint",
              endpoint_id ? (
                <TextLink key="endpoint" to="/endpoints/$endpointId" params={{ endpointId: endpoint_id }}>
                  {endpoint ?? endpoint_id}
                </TextLink>
              ) : (
                endpoint
              ),
            ],
            ["Tool there", interaction.upstream_tool],
            ["HTTP status", interaction.status === null ? null : String(interaction.status)],
            ["Said to be an error", interaction.is_error ? "yes" : null],
            ["Changes something", interaction.read_only ? "no" : "it may"],
            [
              "Happened",
              <span key="happened">
                <Ago at={interaction.occurred_at} />, in{" "}
                <TextLink
                  to="/runs/$runId"
                  params={{ runId: run_id }}
                  search={{ step: sequence }}
                  underline="always"
                >
                  run {run_id}, step {sequence}
                </TextLink>
                {interaction.captured && " (captured there, because it was missing)"}
              </span>,
            ],
          ]}
        />
        <Section title="Arguments">
          <JsonView value={interaction.arguments} name="arguments" depth={3} />
        </Section>
        <Section title="Response">
          <Response response={interaction.response} />
        </Section>
      </Stack>
    </Panel>
  );
}
