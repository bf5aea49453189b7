import { Button, Group, Input, SegmentedControl, Skeleton, Stack, Text } from "@mantine/core";
import { lazy, Suspense, useId, useMemo, useRef, useState } from "react";
import type { BehavioursAbout } from "~/api/behaviours";
import { errorsBelow, type Problem } from "~/api/problem";
import { type Known, partsOf } from "~/components/behaviours/acts";
import { ActsLegend } from "~/components/behaviours/acts-legend";
import { behaviourCompletions } from "~/components/behaviours/completions";
import { LeftLines, LineAtCursor, leftOf, ReadingStatus } from "~/components/behaviours/line-reports";
import type { LinesHandle } from "~/components/behaviours/lines-editor";
import { lineAt, useReading } from "~/components/behaviours/use-reading";
import { Fold } from "~/components/fold";
import { JsonView } from "~/components/json-view";
import { Refusal } from "~/components/refusal";

const LinesEditor = lazy(() => import("~/components/behaviours/lines-editor"));

const MOST_SHOWN = 4;

interface BehavioursFieldProps {
  description: string;
  value: string;
  onChange: (text: string) => void;
  /** Whose tools and entities are meant. */
  about: BehavioursAbout;
  known: Known;
  minHeight?: number;
  /** Why it was not taken. */
  error?: string | null | undefined;
}

/** How tools behave, in lines: each is read while it is written, and told in words. */
export function BehavioursField(props: BehavioursFieldProps) {
  const { description, value, onChange, about, known, minHeight = 96, error } = props;
  const label = useId();
  const status = useId();
  const reading = useReading(value, about);
  const editor = useRef<LinesHandle>(null);
  const [asLines, setAsLines] = useState(true);
  const [cursor, setCursor] = useState(1);
  const completions = useMemo(() => behaviourCompletions(known), [known]);
  const placeholder = useMemo(() => placeholderOf(known), [known]);
  return (
    <Stack gap="xs">
      <div>
        <Input.Label component="div" id={label}>
          Behaviour instructions
        </Input.Label>
        <Input.Description>{description}</Input.Description>
      </div>
      <div hidden={!asLines}>
        <Suspense fallback={<Skeleton height={minHeight} />}>
          <LinesEditor
            value={value}
            onChange={onChange}
            reading={reading}
            onLine={setCursor}
            completions={completions}
            placeholder={placeholder}
            minHeight={minHeight}
            labelledBy={label}
            describedBy={status}
            handle={editor}
          />
        </Suspense>
      </div>
      {!asLines && (
        <div>
          <Text size="xs" c="var(--ody-text-dim)" mb={4}>
            The lines that are understood, as a list of rules. The API takes such a list in place of the text;
            here it is to read and copy.
          </Text>
          <JsonView value={reading.rules} name="the behaviour as rules" depth={4} />
        </div>
      )}
      {error && <Input.Error role="alert">{error}</Input.Error>}
      {reading.problem && !error && <NotRead problem={reading.problem} />}
      <Group justify="space-between" gap="xs">
        <ReadingStatus reading={reading} id={status} />
        <SegmentedControl
          size="xs"
          style={{ flex: "none" }}
          aria-label="How to show the behaviour"
          value={asLines ? "lines" : "structured"}
          onChange={(shown) => setAsLines(shown === "lines")}
          data={[
            { value: "lines", label: "Lines" },
            { value: "structured", label: "Structured" },
          ]}
        />
      </Group>
      {reading.asLines !== null && <AsLines text={reading.asLines} onTake={onChange} />}
      <LeftLines left={leftOf(reading.lines)} onShow={(line) => editor.current?.goTo(line)} />
      {asLines && reading.asLines === null && <LineAtCursor line={lineAt(reading.lines, cursor)} />}
      {asLines && (
        <Fold label="What a line can say">
          <ActsLegend known={known} onInsert={(line) => editor.current?.insert(line)} />
        </Fold>
      )}
    </Stack>
  );
}

/** What is wrong with the whole: too much of it, or a list of rules that is none. */
function NotRead({ problem }: { problem: Problem }) {
  const faults = errorsBelow(problem.errors, "behavior_instructions");
  if (faults.length === 0) return <Refusal error={problem} title="Not checked" />;
  return faults.slice(0, MOST_SHOWN).map(({ loc, msg }) => (
    <Input.Error key={`${loc.join(".")} ${msg}`} role="alert">
      {loc.length > 0 ? `${loc.join(".")}: ${msg}` : msg}
    </Input.Error>
  ));
}

/** Rules as JSON are taken too, and kept as lines. */
function AsLines({ text, onTake }: { text: string; onTake: (text: string) => void }) {
  return (
    <Group gap="xs">
      <Text size="xs">This is a list of rules. It is kept as the lines that say the same.</Text>
      <Button variant="default" size="compact-xs" onClick={() => onTake(text)}>
        Show the lines
      </Button>
    </Group>
  );
}

function placeholderOf(known: Known): string {
  const { tool, type, field, value } = partsOf(known);
  return `# One line each, such as\n${tool} only when ${type}.${field} == ${value} else conflict "Too late"`;
}
