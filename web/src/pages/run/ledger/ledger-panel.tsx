import { Group, SegmentedControl, Stack, Text } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { IconWorld } from "@tabler/icons-react";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import type { Schemas } from "~/api/client";
import { ledgerDiffQuery, ledgerQuery, sessionQuery } from "~/api/queries";
import { ToneBadge } from "~/components/badges";
import { Fold } from "~/components/fold";
import { JsonView } from "~/components/json-view";
import { ButtonLink } from "~/components/page";
import { Section } from "~/components/section";
import { ErrorState, RowsLoading } from "~/components/states";
import { EntityGroupView } from "~/pages/run/ledger/entity-group";
import classes from "~/pages/run/ledger/ledger.module.css";
import { groupEntities, ledgerMoment } from "~/pages/run/model/ledger";
import type { Step } from "~/pages/run/model/waterfall";
import type { RunView } from "~/pages/run/view";
import { compact } from "~/shell/search";

const route = getRouteApi("/app/runs/$runId");
const WALKING_MS = 120;

interface LedgerPanelProps {
  view: RunView;
  step: Step;
  points: number[];
}

/** The world right after a step, what changed first. */
export function LedgerPanel({ view, step, points }: LedgerPanelProps) {
  const { since } = route.useSearch();
  const navigate = route.useNavigate();
  const { data: session } = useQuery(sessionQuery);
  const [sequence] = useDebouncedValue(step.sequence, WALKING_MS);
  const at = ledgerMoment(points, sequence);
  const fromStart = since === "start";
  const from = fromStart ? 0 : at === sequence ? at - 1 : at;
  const ledger = useQuery({
    ...ledgerQuery(view.run.id, view.attempt, at),
    placeholderData: keepPreviousData,
  });
  const diff = useQuery({
    ...ledgerDiffQuery(view.run.id, view.attempt, from, at),
    placeholderData: keepPreviousData,
    enabled: from < at,
  });
  const changed = from < at ? diff.data : NO_CHANGE;
  const error = ledger.error ?? (from < at ? diff.error : null);

  function show(choice: string) {
    const wanted = choice === "start" ? ("start" as const) : undefined;
    void navigate({
      search: (before) => compact({ ...before, since: wanted }),
      replace: true,
      resetScroll: false,
    });
  }

  return (
    <Stack gap="sm">
      <Group gap="xs" justify="space-between">
        <SegmentedControl
          size="xs"
          value={fromStart ? "start" : "step"}
          onChange={show}
          aria-label="Which changes to mark"
          data={[
            { value: "step", label: "Changed by this step" },
            { value: "start", label: "Changed since the start" },
          ]}
        />
        {session?.person.role !== "viewer" && (
          <ButtonLink
            to="/worlds/new"
            search={{ run: view.run.id, at, attempt: view.attempt }}
            variant="default"
            size="compact-xs"
            leftSection={<IconWorld size={13} aria-hidden />}
          >
            Make a world of this
          </ButtonLink>
        )}
      </Group>
      {error && <ErrorState error={error} />}
      {!error && (!ledger.data || !changed) && <RowsLoading rows={5} />}
      {!error && ledger.data && changed && (
        <Contents
          ledger={ledger.data}
          diff={changed}
          fromStart={fromStart}
          late={
            ledger.isPlaceholderData || (from < at && diff.isPlaceholderData) || sequence !== step.sequence
          }
        />
      )}
    </Stack>
  );
}

type Diff = Pick<Schemas["LedgerDiffOut"], "changes" | "flags_set" | "flags_cleared">;
const NO_CHANGE: Diff = { changes: [], flags_set: [], flags_cleared: [] };

interface ContentsProps {
  ledger: Schemas["LedgerOut"];
  diff: Diff;
  fromStart: boolean;
  /** Still of another step. */
  late: boolean;
}

function Contents({ ledger, diff, fromStart, late }: ContentsProps) {
  const groups = groupEntities(ledger.state, diff.changes);
  const nothing = diff.changes.length + diff.flags_set.length + diff.flags_cleared.length === 0;
  return (
    <div className={classes.contents} data-late={late || undefined} aria-busy={late}>
      {nothing && (
        <Text size="sm" c="var(--ody-text-dim)">
          {fromStart ? "Nothing has changed since the start." : "This step changed nothing."}
        </Text>
      )}
      <Flags ledger={ledger} diff={diff} />
      {groups.map((group) => (
        <EntityGroupView key={group.type} group={group} />
      ))}
      {groups.length === 0 && (
        <Text size="sm" c="var(--ody-text-dim)">
          The world is empty: the seed has no initial_state.
        </Text>
      )}
      <Fold label={`Ledger as JSON, hash ${ledger.hash.slice(0, 12)}`}>
        <JsonView value={ledger} name="ledger" depth={2} />
      </Fold>
    </div>
  );
}

function Flags({ ledger, diff }: { ledger: Schemas["LedgerOut"]; diff: Diff }) {
  if (ledger.flags.length + diff.flags_cleared.length === 0) return null;
  return (
    <Section title="Flags">
      <div className={classes.flags}>
        {ledger.flags.map((flag) => (
          <ToneBadge key={flag} tone={diff.flags_set.includes(flag) ? "green" : "neutral"}>
            {diff.flags_set.includes(flag) && "+ "}
            {flag}
          </ToneBadge>
        ))}
        {diff.flags_cleared.map((flag) => (
          <ToneBadge key={flag} tone="red">
            − {flag}
          </ToneBadge>
        ))}
      </div>
    </Section>
  );
}
