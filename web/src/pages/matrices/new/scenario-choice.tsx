import { Button, Checkbox, Group, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { type ScenarioFilters, scenariosQuery } from "~/api/scenarios";
import { counted } from "~/components/counted";
import { RiskBadge } from "~/components/evals/risk";
import { TextLink } from "~/components/page";
import { ScenarioFilterBar } from "~/components/scenario-filters";
import { Empty, ErrorState, RowsLoading } from "~/components/states";
import classes from "~/pages/matrices/matrices.module.css";
import { compact } from "~/shell/search";

const MOST_SHOWN = 200;
/** As many as a matrix has. */
const MOST_CHOSEN = 200;

interface ScenarioChoiceProps {
  chosen: string[];
  onChange: (ids: string[]) => void;
  error: string | null;
}

/** What is chosen stays chosen when the filters show others. */
export function ScenarioChoice({ chosen, onChange, error }: ScenarioChoiceProps) {
  const [filters, setFilters] = useState<ScenarioFilters>({});
  const list = useQuery(scenariosQuery(filters, MOST_SHOWN));
  const shown = list.data?.items ?? [];
  const unchosen = shown.filter(({ id }) => !chosen.includes(id)).map(({ id }) => id);
  const filtered = Object.keys(filters).length > 0;
  const keep = (ids: string[]) => onChange([...new Set(ids)].slice(0, MOST_CHOSEN));
  if (list.error && !list.data) return <ErrorState error={list.error} retry={() => void list.refetch()} />;
  if (list.data && shown.length === 0 && !filtered) {
    return (
      <Empty title="No scenarios yet" action={<TextLink to="/scenarios/new">Write one</TextLink>}>
        A matrix is made of scenarios, each a decision to try an agent with.
      </Empty>
    );
  }
  return (
    <>
      <ScenarioFilterBar
        filters={filters}
        tags={[...new Set(shown.flatMap(({ tags }) => tags))].toSorted()}
        onChange={(next) => setFilters((before) => compact({ ...before, ...next }) as ScenarioFilters)}
        onClear={() => setFilters({})}
      />
      <Group justify="space-between" my="xs" gap="xs">
        <Text size="xs" c="var(--ody-text-dim)" role="status">
          {counted(chosen.length, "scenario")} chosen
          {list.data?.next_cursor ? `; the newest ${MOST_SHOWN} that fit are shown, filter for others` : ""}
        </Text>
        <Group gap={4}>
          {chosen.length > 0 && (
            <Button size="compact-xs" variant="subtle" color="gray" onClick={() => onChange([])}>
              Choose none
            </Button>
          )}
          {unchosen.length > 0 && (
            <Button size="compact-xs" variant="light" onClick={() => keep([...chosen, ...unchosen])}>
              Choose all {shown.length} {filtered && "that fit"}
            </Button>
          )}
        </Group>
      </Group>
      {list.data === undefined ? (
        <RowsLoading rows={5} />
      ) : shown.length === 0 ? (
        <Empty title="No scenario fits">None that all filters let through.</Empty>
      ) : (
        <ul className={classes.choices} aria-label="Scenarios" data-scrolls>
          {shown.map(({ id, name, description, risk_level, tags }) => (
            <li key={id}>
              <div className={classes.choice}>
                <Checkbox
                  size="xs"
                  label={name}
                  description={[description, tags.join(", ")].filter((each) => each !== "").join(" · ")}
                  checked={chosen.includes(id)}
                  onChange={({ currentTarget }) =>
                    keep(currentTarget.checked ? [...chosen, id] : chosen.filter((each) => each !== id))
                  }
                />
                <RiskBadge level={risk_level} />
              </div>
            </li>
          ))}
        </ul>
      )}
      {error && (
        <Text size="xs" c="var(--band-red)" role="alert">
          {error}
        </Text>
      )}
    </>
  );
}
