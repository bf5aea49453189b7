import { Group, NativeSelect, Text, TextInput, UnstyledButton } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { IconSearch } from "@tabler/icons-react";
import { useEffect, useMemo, useState } from "react";
import { toneColor } from "~/components/badges";
import { isUndeclared } from "~/pages/run/model/actors";
import { NO_ACTOR, type Step, type StepFilter } from "~/pages/run/model/waterfall";
import classes from "~/pages/run/timeline/timeline.module.css";
import { SOURCES, type Source } from "~/theme/palette";

interface FiltersProps {
  steps: Step[];
  shown: number;
  /** Why steps do not come at once; empty if they do. */
  notice: string;
  filter: StepFilter;
  declared: Set<string> | null;
  onChange: (filter: StepFilter) => void;
}

const TYPING_MS = 150;

export function Filters({ steps, shown, notice, filter, declared, onChange }: FiltersProps) {
  const sources = useMemo(() => countBy(steps, (step) => step.source), [steps]);
  const actors = useMemo(() => countBy(steps, (step) => step.actor ?? NO_ACTOR), [steps]);
  return (
    <Group gap="xs" className={classes.filters}>
      <TextFilter value={filter.q ?? ""} onChange={(q) => onChange({ ...filter, q: q || undefined })} />
      {SOURCES.filter((source) => sources.has(source) || filter.source?.includes(source)).map((source) => (
        <SourceToggle
          key={source}
          source={source}
          count={sources.get(source) ?? 0}
          on={filter.source?.includes(source) ?? false}
          onToggle={() => onChange({ ...filter, source: toggled(filter.source, source) })}
        />
      ))}
      {(actors.size > 1 || filter.actor) && (
        <NativeSelect
          size="xs"
          aria-label="Actor"
          className={classes.actors}
          value={filter.actor ?? ""}
          onChange={(event) => onChange({ ...filter, actor: event.currentTarget.value || undefined })}
          data={[{ value: "", label: "All actors" }, ...actorChoices(actors, filter.actor, declared)]}
        />
      )}
      <Text size="xs" c="var(--ody-text-dim)" ml="auto" role="status">
        {notice}
        {shown === steps.length
          ? countText(shown)
          : `${shown.toLocaleString("en")} of ${countText(steps.length)}`}
      </Text>
    </Group>
  );
}

function countText(count: number): string {
  return `${count.toLocaleString("en")} ${count === 1 ? "step" : "steps"}`;
}

function TextFilter({ value, onChange }: { value: string; onChange: (text: string) => void }) {
  const [typed, setTyped] = useState(value);
  const tell = useDebouncedCallback(onChange, TYPING_MS);
  useEffect(() => setTyped(value), [value]);
  return (
    <TextInput
      size="xs"
      data-filter
      aria-label="Filter steps by text"
      placeholder="Filter by text"
      className={classes.text}
      leftSection={<IconSearch size={13} aria-hidden />}
      value={typed}
      onChange={(event) => {
        setTyped(event.currentTarget.value);
        tell(event.currentTarget.value);
      }}
      onKeyDown={(event) => event.key === "Escape" && event.currentTarget.blur()}
    />
  );
}

interface SourceToggleProps {
  source: Source;
  count: number;
  on: boolean;
  onToggle: () => void;
}

function SourceToggle({ source, count, on, onToggle }: SourceToggleProps) {
  return (
    <UnstyledButton
      className={classes.toggle}
      aria-pressed={on}
      onClick={onToggle}
      style={
        on
          ? { color: toneColor(source), background: toneColor(source, true), borderColor: toneColor(source) }
          : {}
      }
    >
      <span className={classes.dot} style={{ background: toneColor(source) }} aria-hidden />
      {source} <span className={classes.count}>{count.toLocaleString("en")}</span>
    </UnstyledButton>
  );
}

function toggled(chosen: Source[] | undefined, source: Source): Source[] | undefined {
  const rest = chosen?.filter((one) => one !== source) ?? [];
  const next = chosen?.includes(source) ? rest : [...rest, source];
  return next.length > 0 ? next : undefined;
}

function actorChoices(actors: Map<string, number>, chosen: string | undefined, declared: Set<string> | null) {
  const all = new Map(actors);
  if (chosen && !all.has(chosen)) all.set(chosen, 0);
  return [...all.entries()]
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([actor, count]) => {
      const mark = actor !== NO_ACTOR && isUndeclared(actor, declared) ? ", undeclared" : "";
      return { value: actor, label: `${actor === NO_ACTOR ? "no actor" : actor} (${count}${mark})` };
    });
}

function countBy<Key>(steps: Step[], keyOf: (step: Step) => Key | null): Map<Key, number> {
  const counts = new Map<Key, number>();
  for (const step of steps) {
    const key = keyOf(step);
    if (key !== null) counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}
