import { Group, Select, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useMemo } from "react";
import { type Scenario, scenarioVersionQuery } from "~/api/scenarios";
import { counted } from "~/components/counted";
import { DiffView } from "~/components/json-diff/diff-view";
import { diffJson } from "~/components/json-diff/json-diff";
import { useMayChange } from "~/components/may-change";
import { ButtonLink, Panel } from "~/components/page";
import { ErrorState, RowsLoading } from "~/components/states";

const route = getRouteApi("/app/scenarios/$scenarioId");
const SHOWN_AT_ONCE = 100;

/** Every content the scenario ever had, and what lies between any two. */
export function VersionsTab({ scenario }: { scenario: Scenario }) {
  const { from = Math.max(1, scenario.version - 1), to = scenario.version } = route.useSearch();
  const navigate = route.useNavigate();
  const mayChange = useMayChange();
  const before = useQuery(scenarioVersionQuery(scenario.id, from));
  const after = useQuery(scenarioVersionQuery(scenario.id, to));
  const changes = useMemo(
    () => (before.data && after.data ? diffJson(contentOf(before.data), contentOf(after.data)) : null),
    [before.data, after.data],
  );

  if (scenario.version === 1) {
    return (
      <Panel title="Version 1">
        <Text size="sm" c="var(--ody-text-dim)">
          The only version so far. Each save that changes something adds one; runs keep the one they had.
        </Text>
      </Panel>
    );
  }

  function compare(change: { from?: number; to?: number }) {
    void navigate({
      search: (search) => ({ ...search, from, to, ...change }),
      replace: true,
      resetScroll: false,
    });
  }

  const error = before.error ?? after.error;
  return (
    <Panel
      title="Difference"
      tools={
        changes && (
          <Text size="xs" c="var(--ody-text-dim)" role="status">
            {counted(changes.length, "change")}
          </Text>
        )
      }
    >
      <Stack gap="md">
        <Group gap="sm" align="flex-end">
          <VersionField
            label="From"
            newest={scenario.version}
            value={from}
            onChoose={(n) => compare({ from: n })}
          />
          <VersionField
            label="To"
            newest={scenario.version}
            value={to}
            onChoose={(n) => compare({ to: n })}
          />
          {mayChange && from !== scenario.version && before.data && (
            <ButtonLink
              to="/scenarios/$scenarioId/edit"
              params={{ scenarioId: scenario.id }}
              search={{ version: from }}
              variant="default"
            >
              Go back to version {from}
            </ButtonLink>
          )}
        </Group>
        {changes ? (
          <DiffView changes={changes} />
        ) : error ? (
          <ErrorState error={error} retry={() => void Promise.all([before.refetch(), after.refetch()])} />
        ) : (
          <RowsLoading rows={4} />
        )}
      </Stack>
    </Panel>
  );
}

interface VersionFieldProps {
  label: string;
  newest: number;
  value: number;
  onChoose: (version: number) => void;
}

function VersionField({ label, newest, value, onChoose }: VersionFieldProps) {
  const versions = useMemo(
    () =>
      Array.from({ length: newest }, (_, index) => {
        const version = newest - index;
        return {
          value: String(version),
          label: `Version ${version}${version === newest ? ", present" : ""}`,
        };
      }),
    [newest],
  );
  return (
    <Select
      label={label}
      size="xs"
      w={170}
      searchable
      allowDeselect={false}
      limit={SHOWN_AT_ONCE}
      data={versions}
      value={String(value)}
      onChange={(version) => version !== null && onChoose(Number(version))}
    />
  );
}

/** What belongs to a version; what is null or empty was not said. */
function contentOf(scenario: Scenario): Record<string, unknown> {
  const {
    id: _id,
    version: _version,
    created_at: _created,
    updated_at: _updated,
    rendered: _,
    ...content
  } = scenario;
  return Object.fromEntries(Object.entries(content).filter(([, value]) => value !== null && value !== ""));
}
