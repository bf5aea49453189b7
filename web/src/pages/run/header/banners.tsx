import { Stack, Text } from "@mantine/core";
import {
  IconAlertTriangle,
  IconCircleX,
  IconHistory,
  IconPlugConnectedX,
  IconWorldExclamation,
} from "@tabler/icons-react";
import { memo } from "react";
import { Banner } from "~/components/banner";
import { counted } from "~/components/counted";
import { errorClass } from "~/components/error-classes";
import { LongText } from "~/components/json-view";
import { TextLink } from "~/components/page";
import classes from "~/pages/run/header/header.module.css";
import { numberOf, textOf } from "~/pages/run/model/events";
import { type Grade, noteInWords } from "~/pages/run/model/grades";
import { readWarning } from "~/pages/run/model/soft-warnings";
import { DecidingStep } from "~/pages/run/verdict/deciding-step";
import type { RunView } from "~/pages/run/view";

/** What needs attention before anything else. */
export const Banners = memo(function Banners({ view }: { view: RunView }) {
  const { run } = view;
  const grade = run.grades.at(-1);
  const banners = [
    isGivenUp(view) && <GivenUp key="given-up" view={view} />,
    run.error_class && <Failed key="failed" view={view} errorName={run.error_class} />,
    calledNothing(view) && <CalledNothing key="nothing" view={view} />,
    grade?.world_warning && <WorldWarning key="world" grade={grade} />,
    run.soft_warnings.length > 0 && <SoftWarnings key="soft" warnings={run.soft_warnings} />,
  ].filter(Boolean);
  return banners.length > 0 ? <Stack gap="xs">{banners}</Stack> : null;
});

function Failed({ view: { run }, errorName }: { view: RunView; errorName: string }) {
  const { means, advice, tone } = errorClass(errorName);
  const detail = textOf(run.error_json?.detail);
  const status = numberOf(run.error_json?.http_status);
  return (
    <Banner tone={tone} icon={<IconCircleX size={16} aria-hidden />} label="Why the run failed">
      <Text size="sm" fw={600}>
        {means} {status !== null && <Text span inherit fw={400}>{`HTTP ${status}`}</Text>}
      </Text>
      <Text size="sm">
        {advice}{" "}
        {errorName === "agent_model_unresolved" ? (
          <TextLink to="/settings" underline="always">
            Settings
          </TextLink>
        ) : (
          <TextLink
            to="/agents/$agentId"
            params={{ agentId: run.agent_id }}
            search={{ tab: "settings" }}
            underline="always"
          >
            Agent settings
          </TextLink>
        )}
      </Text>
      {detail && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls
        <pre className={classes.evidence} tabIndex={0}>
          <LongText text={detail} />
        </pre>
      )}
    </Banner>
  );
}

function isGivenUp({ attempt, attempts }: RunView): boolean {
  return attempts.length > 0 && attempt !== attempts.at(-1);
}

const WHY_GIVEN_UP: Record<string, string> = {
  lost: "was lost: the process that executed it ended or fell silent.",
  released: "was given back when the server stopped.",
  platform_fault:
    "does not count: Odyssey's database or the simulator model was away or too slow while the agent worked.",
};

function GivenUp({ view: { run, attempt } }: { view: RunView }) {
  const outcome = run.attempts.find((one) => one.attempt === attempt)?.outcome;
  return (
    <Banner tone="neutral" icon={<IconHistory size={16} aria-hidden />} label="Not the last attempt">
      <Text size="sm">
        {`Attempt ${attempt} ${WHY_GIVEN_UP[outcome ?? ""] ?? WHY_GIVEN_UP.lost}`} The next one began anew
        from the initial state. Result and transcript are those of the last attempt.
      </Text>
    </Banner>
  );
}

function calledNothing({ run, version, events }: RunView): boolean {
  return (
    run.status === "completed" &&
    events.some((event) => event.kind === "reply") &&
    (version?.tools_schema.length ?? 0) > 0 &&
    !events.some((event) => event.kind === "tool_call")
  );
}

function CalledNothing({ view: { version } }: { view: RunView }) {
  const tools = version?.tools_schema.length ?? 0;
  return (
    <Banner tone="amber" icon={<IconPlugConnectedX size={16} aria-hidden />} label="No tool calls">
      <Text size="sm" fw={600}>
        The run completed without one call to the proxy, though the agent declares{" "}
        {tools === 1 ? "a tool" : `${tools} tools`}.
      </Text>
      <Text size="sm">
        Only calls sent to <code>odyssey_proxy_url</code> are recorded and graded. The agent either needed no
        tool, or its tools still call their real backends.
      </Text>
    </Banner>
  );
}

/** How far the world's answers can be trusted that the verdict goes by. */
function WorldWarning({ grade }: { grade: Grade }) {
  return (
    <Banner
      tone="amber"
      icon={<IconWorldExclamation size={16} aria-hidden />}
      label="What the world did badly"
    >
      <Text size="sm" fw={600}>
        {grade.world_warning}
      </Text>
      <ul className={classes.notes}>
        {grade.world_notes.map((note) => (
          <li key={note.sequence}>
            <DecidingStep step={note.sequence}>step {note.sequence}</DecidingStep>{" "}
            <LongText text={noteInWords(note)} />
          </li>
        ))}
      </ul>
      {grade.world_notes_left_off > 0 && (
        <Text size="sm">and {counted(grade.world_notes_left_off, "more call")}</Text>
      )}
    </Banner>
  );
}

function SoftWarnings({ warnings }: { warnings: string[] }) {
  return (
    <Banner tone="amber" icon={<IconAlertTriangle size={16} aria-hidden />} label="Warnings">
      {warnings.map(readWarning).map(({ code, sentence, found }) => (
        <Text size="sm" key={code + found}>
          {sentence}{" "}
          {found && (
            <Text span inherit c="var(--ody-text-dim)">
              {found}{" "}
            </Text>
          )}
          <Text span size="xs" ff="monospace" c="var(--ody-text-dim)">
            {code}
          </Text>
        </Text>
      ))}
    </Banner>
  );
}
