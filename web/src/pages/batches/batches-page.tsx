import { Button, Group, Select, Text } from "@mantine/core";
import { IconStack2 } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { BATCHES_PER_PAGE, batchesQuery } from "~/api/batches";
import { datasetsQuery } from "~/api/datasets";
import { agentsQuery } from "~/api/queries";
import { BatchTable } from "~/components/batches/batch-table";
import { useMayChange } from "~/components/may-change";
import { ButtonLink, Page, Panel } from "~/components/page";
import { Empty, ErrorState, RowsLoading } from "~/components/states";
import classes from "~/pages/batches/batches.module.css";
import { compact } from "~/shell/search";

const route = getRouteApi("/app/batches");

export function BatchesPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const mayChange = useMayChange();
  const { data: agents = [] } = useQuery(agentsQuery);
  const { data: datasets = [] } = useQuery(datasetsQuery);
  const { data, error, refetch, isPlaceholderData } = useQuery(batchesQuery(search));
  const filtered = search.agent_id !== undefined || search.dataset_id !== undefined;
  const change = (next: { [Name in keyof typeof search]?: (typeof search)[Name] | undefined }) =>
    void navigate({ search: (before) => compact({ ...before, cursor: undefined, ...next }) });
  const query = new URLSearchParams(
    Object.entries({ ...search, limit: BATCHES_PER_PAGE }).map(([name, value]) => [name, String(value)]),
  );
  return (
    <Page
      title="Batches"
      actions={mayChange && <ButtonLink to="/datasets">Run a dataset</ButtonLink>}
      curl={[{ what: "This page of batches", path: `/api/batches?${query}` }]}
    >
      <Panel flush>
        <Group p="xs" gap="xs" className={classes.filterBar} role="search" aria-label="Filter batches">
          <Choice
            label="Agent"
            any="Any agent"
            choices={agents}
            value={search.agent_id}
            onChange={(agent_id) => change({ agent_id })}
          />
          <Choice
            label="Dataset"
            any="Any dataset"
            choices={datasets}
            value={search.dataset_id}
            onChange={(dataset_id) => change({ dataset_id })}
          />
        </Group>
        {data === undefined ? (
          error ? (
            <ErrorState error={error} retry={() => void refetch()} />
          ) : (
            <RowsLoading />
          )
        ) : data.items.length === 0 ? (
          <NoBatches filtered={filtered} onClear={() => void navigate({ search: {} })} />
        ) : (
          <div className={isPlaceholderData ? classes.stale : undefined}>
            <BatchTable batches={data.items} />
          </div>
        )}
        {(search.cursor !== undefined || data?.next_cursor) && (
          <Group justify="space-between" px="md" py="xs">
            <Text size="xs" c="var(--ody-text-dim)">
              {data?.items.length} batches on this page
            </Text>
            <Group gap="xs" component="nav" aria-label="Pages">
              <Button
                variant="default"
                disabled={search.cursor === undefined}
                onClick={() => change({ cursor: undefined })}
              >
                Newest
              </Button>
              <Button
                variant="default"
                disabled={!data?.next_cursor || isPlaceholderData}
                onClick={() => change({ cursor: data?.next_cursor ?? undefined })}
              >
                Next
              </Button>
            </Group>
          </Group>
        )}
      </Panel>
    </Page>
  );
}

interface ChoiceProps {
  label: string;
  any: string;
  choices: { id: number; name: string }[];
  value: number | undefined;
  onChange: (id: number | undefined) => void;
}

/** What is filtered by may have been deleted: then it has no name any more. */
function Choice({ label, any, choices, value, onChange }: ChoiceProps) {
  const data = choices.map(({ id, name }) => ({ value: String(id), label: name }));
  const unlisted = value !== undefined && !choices.some(({ id }) => id === value);
  return (
    <Select
      size="xs"
      aria-label={label}
      placeholder={any}
      searchable
      clearable
      clearButtonProps={{ "aria-label": any }}
      nothingFoundMessage="Nothing of that name"
      data={unlisted ? [...data, { value: String(value), label: `${label} ${value}` }] : data}
      value={value === undefined ? null : String(value)}
      onChange={(id) => onChange(id === null ? undefined : Number(id))}
      w={{ base: "100%", xs: 220 }}
    />
  );
}

function NoBatches({ filtered, onClear }: { filtered: boolean; onClear: () => void }) {
  if (filtered) {
    return (
      <Empty
        title="No batch fits"
        action={
          <Button variant="default" onClick={onClear}>
            Show all
          </Button>
        }
      >
        There is none of this agent and dataset.
      </Empty>
    );
  }
  return (
    <Empty
      icon={<IconStack2 size={32} stroke={1.5} />}
      title="No batches yet"
      action={<ButtonLink to="/datasets">See the datasets</ButtonLink>}
    >
      A batch is a dataset run on an agent: every row once or many times, graded, with how sure the figures
      are. Two batches of the same rows can be compared.
    </Empty>
  );
}
