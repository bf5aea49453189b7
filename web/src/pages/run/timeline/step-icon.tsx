import {
  IconAlertTriangle,
  IconArrowBackUp,
  IconArrowForwardUp,
  IconArrowsExchange,
  IconBraces,
  IconBrain,
  IconCircleDot,
  IconCircleX,
  IconFileText,
  IconGavel,
  IconMessage,
  IconMessageCheck,
  IconMessages,
  IconPlugConnectedX,
  IconSend,
  IconTool,
} from "@tabler/icons-react";
import type { Step } from "~/pages/run/model/waterfall";

const TRACE_EVENTS: Record<string, typeof IconTool> = {
  assistant_message: IconMessage,
  thinking: IconBrain,
  system_prompt: IconFileText,
  custom: IconBraces,
  handoff: IconArrowsExchange,
  subagent_message: IconMessages,
  subagent_final: IconMessageCheck,
};

const KINDS: Record<string, typeof IconTool> = {
  dispatch: IconSend,
  forward: IconArrowForwardUp,
  tool_call: IconTool,
  reply: IconArrowBackUp,
  violation: IconAlertTriangle,
  platform_fault: IconPlugConnectedX,
  grade: IconGavel,
};

export function StepIcon({ step, size = 14 }: { step: Step; size?: number }) {
  const { kind } = step.event;
  const failed = step.refused || (kind === "reply" && typeof step.event.data.error_class === "string");
  const Icon = failed
    ? IconCircleX
    : kind === "trace_event"
      ? (TRACE_EVENTS[step.name] ?? IconCircleDot)
      : (KINDS[kind] ?? IconCircleDot);
  return (
    <Icon
      size={size}
      stroke={1.75}
      aria-hidden
      style={failed ? { color: "var(--source-error)" } : undefined}
    />
  );
}
