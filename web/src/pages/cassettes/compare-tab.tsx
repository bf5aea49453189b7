import { Button, Checkbox, Code, Group, Progress, Text } from "@mantine/core";
import { IconGitCompare } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { type Cassette, type Compared, type Interaction, interactionsQuery } from "~/api/cassettes";
import { writeJson } from "~/api/json";
import { type Tone, ToneBadge } from "~/components/badges";
import { useMayChange } from "~/components/may-change";
import { Panel } from "~/components/page";
import { Refusal } from "~/components/refusal";
import { Empty, ErrorState, RowsLoading } from "~/components/states";
import classes from "~/pages/cassettes/cassettes.module.css";
import { type Comparison, useCompare } from "~/pages/cassettes/use-compare";

const STATES: Record<Compared["state"], { tone: Tone; words: string }> = {
  same: { tone: "green", words: "same" },
  changed: { tone: "amber", words: "changed" },
  skipped: { tone: "neutral", words: "not asked" },
  failed: { tone: "red", words: "no answer" },
};
const ORDER: Compared["state"][] = ["changed", "failed", "skipped", "same"];

/** Asks the live tools again, and says by path where they answer differently by now. */
export function CompareTab({ cassette }: { cassette: Cassette }) {
  const mayCompare = useMayChange();
  const [includeChanging, setIncludeChanging] = useState(false);
  const { data: interactions, error, refetch } = useQuery(interactionsQuery(cassette.id));
  const comparison = useCompare(cassette.id);
  if (!interactions) {
    return error ? <ErrorState error={error} retry={() => void refetch()} /> : <RowsLoading />;
  }
  const changing = interactions.filter(({ read_only }) => !read_only).length;
  return (
    <Panel flush>
      <Group gap="sm" className={classes.bar}>
        <Button
          leftSection={<IconGitCompare size={14} aria-hidden />}
          loading={comparison.going}
          disabled={!mayCompare}
          title={mayCompare ? undefined : "Viewers may look, but not have live tools asked"}
          onClick={() =>
            comparison.compare(
              interactions.map(({ number }) => number),
              includeChanging,
            )
          }
        >
          Ask the live tools again
        </Button>
        {comparison.going && (
          <Button variant="default" onClick={comparison.stop}>
            Stop
          </Button>
        )}
        {changing > 0 && (
          <Checkbox
            size="xs"
            label="Also what may change something"
            description={`${changing} of ${interactions.length}: each is done once more, for real.`}
            checked={includeChanging}
            disabled={comparison.going || !mayCompare}
            onChange={({ currentTarget }) => setIncludeChanging(currentTarget.checked)}
          />
        )}
      </Group>
      {comparison.error && <Refusal error={comparison.error} title="Not compared" />}
      {comparison.going || comparison.found.length > 0 ? (
        <Report comparison={comparison} interactions={interactions} />
      ) : (
        <Empty icon={<IconGitCompare size={28} stroke={1.5} />} title="Not compared yet">
          Every call that reads is made again, and its answer is compared with the recorded one, path by path.
          The cassette stays as it is.
        </Empty>
      )}
    </Panel>
  );
}

interface ReportProps {
  comparison: Comparison;
  interactions: Interaction[];
}

function Report({ comparison: { found, of, going }, interactions }: ReportProps) {
  const recorded = new Map(interactions.map((each) => [each.number, each]));
  const sorted = found.toSorted((a, b) => ORDER.indexOf(a.state) - ORDER.indexOf(b.state));
  return (
    <>
      <Group gap="sm" className={classes.bar} role="status">
        {going && (
          <Progress
            value={of === 0 ? 0 : (found.length / of) * 100}
            w={120}
            aria-label={`${found.length} of ${of} compared`}
          />
        )}
        <Text size="sm">
          {found.length} of {of} compared
        </Text>
        {ORDER.map((state) => {
          const count = found.filter((each) => each.state === state).length;
          return (
            count > 0 && (
              <ToneBadge key={state} tone={STATES[state].tone}>
                {count} {STATES[state].words}
              </ToneBadge>
            )
          );
        })}
      </Group>
      <ul className={classes.compared} aria-label="Compared calls">
        {sorted.map((each) => (
          <ComparedRow key={each.number} compared={each} recorded={recorded.get(each.number)} />
        ))}
      </ul>
    </>
  );
}

interface ComparedRowProps {
  compared: Compared;
  recorded: Interaction | undefined;
}

function ComparedRow({ compared, recorded }: ComparedRowProps) {
  const { tone, words } = STATES[compared.state];
  return (
    <li>
      <Group gap={8}>
        <ToneBadge tone={tone}>{words}</ToneBadge>
        <span className={classes.tool}>{compared.tool_name}</span>
        {recorded && <span className={classes.asked}>{writeJson(recorded.arguments, 0)}</span>}
        {compared.detail && (
          <Text span size="xs" c="var(--ody-text-dim)">
            {compared.state === "skipped" ? "It may change something." : compared.detail}
          </Text>
        )}
      </Group>
      {compared.changes.length > 0 && (
        <ul className={classes.changes}>
          {compared.changes.map(({ path, kind, before, after }) => (
            <li key={path} className={classes.change}>
              <span>
                <Code>{path}</Code> {kind.replaceAll("_", " ")}
              </span>
              {kind !== "added" && <Value sign="−" value={before} className={classes.before} />}
              {kind !== "removed" && <Value sign="+" value={after} className={classes.after} />}
            </li>
          ))}
        </ul>
      )}
    </li>
  );
}

const LONGEST = 400;

function Value({ sign, value, className }: { sign: string; value: unknown; className: string | undefined }) {
  const text = writeJson(value, 0);
  return (
    <span className={`${classes.values} ${className ?? ""}`}>
      {sign} {text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text}
    </span>
  );
}
