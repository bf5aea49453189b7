import { Button, Group, Kbd, Paper, Text } from "@mantine/core";
import { IconArrowDown, IconArrowUp } from "@tabler/icons-react";
import { type ReactNode, useMemo, useRef } from "react";
import type { EvalRun, Part } from "~/api/evals";
import { StatusBadge, ToneBadge } from "~/components/badges";
import {
  type Compared,
  compareBehaviours,
  SECTION_OF,
  SECTIONS,
  type Section,
} from "~/components/comparison/diff/behaviours";
import { CallRows } from "~/components/comparison/parts/call-rows";
import { LineRows } from "~/components/comparison/parts/line-rows";
import { type Numbering, Row, Values } from "~/components/comparison/parts/row";
import { TextRow } from "~/components/comparison/parts/text-row";
import classes from "~/components/comparison/side-by-side.module.css";
import { useDifferences } from "~/components/comparison/use-differences";
import { counted } from "~/components/counted";
import { errorClass } from "~/components/error-classes";
import { DeliveredBadge, MatchedBadge, PlaceboBadge } from "~/components/evals/marks";
import { conditionOf, SECTION_NAMES } from "~/components/evals/names";
import { TextLink } from "~/components/page";

interface SideBySideProps {
  baseline: EvalRun;
  variation: EvalRun;
  /** To choose another run of each side. */
  choices?: [baseline: ReactNode, variation: ReactNode];
  /** The part that moved most, over all runs. */
  moved?: Part | null;
  /** The page itself scrolls to the first difference; otherwise only the frame does. */
  bringUp?: boolean;
}

/** Two runs part by part, the first difference marked; `n` goes to the next one. */
export function SideBySide({ baseline, variation, choices, moved, bringUp = false }: SideBySideProps) {
  const compared = useMemo(
    () => compareBehaviours(baseline.behaviour, variation.behaviour),
    [baseline.behaviour, variation.behaviour],
  );
  const frame = useRef<HTMLDivElement>(null);
  const count = SECTIONS.reduce((total, part) => total + compared.counts[part], 0);
  const walk = useDifferences(frame, { count, of: `${baseline.id} ${variation.id}`, bringUp });
  return (
    <Paper withBorder bg="var(--ody-surface)" component="section" aria-label="Side by side">
      <div className={classes.toolbar}>
        <Text size="sm" role="status">
          <Summary compared={compared} count={count} at={walk.at} />
        </Text>
        {count > 0 && (
          <Group gap={6} wrap="nowrap">
            <Button variant="default" leftSection={<IconArrowUp size={14} />} onClick={walk.previous}>
              Previous <Kbd className={classes.key}>p</Kbd>
            </Button>
            <Button variant="default" leftSection={<IconArrowDown size={14} />} onClick={walk.next}>
              Next difference <Kbd className={classes.key}>n</Kbd>
            </Button>
          </Group>
        )}
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls */}
      <section ref={frame} className={classes.frame} tabIndex={0} aria-label="Both runs" data-scrolls>
        <div className={classes.heads}>
          <Head run={baseline} choice={choices?.[0]} />
          <Head run={variation} choice={choices?.[1]} />
        </div>
        <Parts compared={compared} baseline={baseline} variation={variation} moved={moved ?? null} />
      </section>
    </Paper>
  );
}

interface SummaryProps {
  compared: Compared;
  count: number;
  at: number | null;
}

function Summary({ compared, count, at }: SummaryProps) {
  if (compared.first === null) return compared.compared ? "No difference." : "Nothing to compare.";
  const { part, where } = compared.first;
  if (at !== null) {
    return (
      <>
        Difference <b>{at + 1}</b> of {count}
      </>
    );
  }
  return (
    <>
      <b>{counted(count, "difference")}</b>, {count > 1 && "the first "}in the{" "}
      {SECTION_NAMES[part].toLowerCase()} at <code className={classes.where}>{where}</code>
    </>
  );
}

function Head({ run, choice }: { run: EvalRun; choice: ReactNode }) {
  return (
    <div className={classes.head}>
      <Group gap={6}>
        <Text fw={650} size="sm" className={classes.condition}>
          {conditionOf({ ...run, placebo: false })}
        </Text>
        {run.placebo && <PlaceboBadge />}
        <TextLink to="/evals/runs/$runId" params={{ runId: run.id }}>
          run {run.id}
        </TextLink>
        {run.status !== "completed" && <StatusBadge status={run.status} />}
        <MatchedBadge run={run} />
        <DeliveredBadge delivered={run.delivered} />
      </Group>
      {choice}
    </div>
  );
}

interface PartsProps {
  compared: Compared;
  baseline: EvalRun;
  variation: EvalRun;
  moved: Part | null;
}

function Parts({ compared, baseline, variation, moved }: PartsProps) {
  const [left, right] = [baseline.behaviour, variation.behaviour];
  const { counts, first } = compared;
  let before = 0;
  const numbering = Object.fromEntries(
    SECTIONS.map((part) => {
      const numbers: Numbering = {
        from: before,
        total: SECTIONS.reduce((total, each) => total + counts[each], 0),
        compared: part === "failure" || compared.compared,
      };
      before += counts[part];
      return [part, numbers];
    }),
  ) as Record<Section, Numbering>;
  const head = (part: Section) => ({
    part,
    count: counts[part],
    moved: moved !== null && SECTION_OF[moved] === part,
    compared: numbering[part].compared,
  });
  return (
    <>
      <Missing baseline={baseline} variation={variation} />
      {(left?.failure || right?.failure) && (
        <PartFrame {...head("failure")}>
          <Row
            number={first?.part === "failure" ? 0 : null}
            numbering={numbering.failure}
            where="error_class"
            same={left?.failure === right?.failure}
            left={<Failure name={left?.failure ?? null} />}
            right={<Failure name={right?.failure ?? null} />}
          />
        </PartFrame>
      )}
      {(left?.structured || right?.structured) && (
        <PartFrame {...head("structured")}>
          <Absent of={compared} left={!left?.structured} right={!right?.structured}>
            no JSON object in the response
          </Absent>
          <LineRows lines={compared.structured} numbering={numbering.structured} />
        </PartFrame>
      )}
      {compared.calls.length > 0 && (
        <PartFrame {...head("calls")}>
          <Absent of={compared} left={left?.calls.length === 0} right={right?.calls.length === 0}>
            no call
          </Absent>
          <CallRows rows={compared.calls} numbering={numbering.calls} />
        </PartFrame>
      )}
      {compared.ledger.length > 0 && (
        <PartFrame {...head("ledger")}>
          <Absent of={compared} left={unchanged(compared, "left")} right={unchanged(compared, "right")}>
            nothing changed
          </Absent>
          <LineRows lines={compared.ledger} numbering={numbering.ledger} />
        </PartFrame>
      )}
      {(left?.text.trim() || right?.text.trim()) && (
        <PartFrame {...head("text")}>
          <TextRow texts={compared.texts} numbering={numbering.text} />
        </PartFrame>
      )}
    </>
  );
}

function unchanged({ ledger }: Compared, side: "left" | "right"): boolean {
  return ledger.every((line) => line[side] === undefined);
}

interface PartFrameProps {
  part: Section;
  count: number;
  moved: boolean;
  compared: boolean;
  children: ReactNode;
}

function PartFrame({ part, count, moved, compared, children }: PartFrameProps) {
  return (
    <section className={classes.part} aria-label={SECTION_NAMES[part]}>
      <h3>
        {SECTION_NAMES[part]}
        {compared && (
          <span className={classes.count}>{count === 0 ? "the same" : counted(count, "difference")}</span>
        )}
        {moved && (
          <ToneBadge tone="live" help="Over all runs this part moved furthest beyond its own noise">
            moved most
          </ToneBadge>
        )}
      </h3>
      {children}
    </section>
  );
}

interface AbsentProps {
  of: Compared;
  left: boolean | undefined;
  right: boolean | undefined;
  children: ReactNode;
}

/** Says that one side has nothing of a part. */
function Absent({ of, left = false, right = false, children }: AbsentProps) {
  if (left === right || !of.compared) return null;
  const words = <span className={classes.absent}>{children}</span>;
  return <Values left={left && words} right={right && words} />;
}

function Failure({ name }: { name: string | null }) {
  if (name === null) return <span className={classes.absent}>did not fail</span>;
  const { means } = errorClass(name);
  return (
    <>
      <b>{name}</b>
      <span className={classes.means}>{means}</span>
    </>
  );
}

function Missing({ baseline, variation }: { baseline: EvalRun; variation: EvalRun }) {
  const runs = [baseline, variation].filter(({ behaviour }) => behaviour === null);
  return runs.map((run) => (
    <Text key={run.id} size="sm" className={classes.note}>
      Run {run.id}{" "}
      {run.observed_at === null
        ? "has not ended yet; this page will show it when it has."
        : "says nothing of the agent, so it is compared with nothing" +
          (run.error_class === null ? "." : `: ${run.error_class}.`)}
    </Text>
  ));
}
