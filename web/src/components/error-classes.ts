import type { Tone } from "~/components/badges";

interface ErrorClass {
  /** What happened. */
  means: string;
  /** What to do about it. */
  advice: string;
  tone: Tone;
}

const ACT: Tone = "red";
const RETRY: Tone = "amber";

const CLASSES: Record<string, ErrorClass> = {
  auth_failed: {
    means: "The agent's endpoint answered 401 or 403.",
    advice:
      "The stored auth header is not the one the wrapper expects. Enter it again, with its prefix such as Bearer.",
    tone: ACT,
  },
  agent_timeout: {
    means: "The agent did not answer within its time.",
    advice: "Raise run_timeout_s in the agent's settings, or see in the timeline where the time went.",
    tone: RETRY,
  },
  agent_5xx: {
    means: "The agent's endpoint answered with a server error.",
    advice:
      "An exception in the wrapper or the agent; the beginning of the body is below, the rest in the agent's log.",
    tone: ACT,
  },
  agent_4xx: {
    means: "The agent's endpoint turned the dispatch down.",
    advice: "Check the path of the endpoint, how the wrapper reads the envelope, and limits in front of it.",
    tone: RETRY,
  },
  agent_bad_response: {
    means:
      "The answer cannot be used: a redirect, an empty body, not JSON, more than 1 MiB, or 401 after a ping that was answered.",
    advice: "Answer 200 with a JSON object that has a final_response. The reply step holds what arrived.",
    tone: RETRY,
  },
  agent_disconnected: {
    means: "The agent, which had answered a ping, closed the connection instead of answering.",
    advice:
      "That is a failure of its own and counts as one. Look for a crash in its log, or an idle limit of a gateway.",
    tone: ACT,
  },
  agent_unreachable: {
    means: "No connection to the agent's endpoint could be made.",
    advice:
      "Check host, port, DNS and tunnel, and that ODYSSEY_OUTBOUND_ALLOW lets a private address through.",
    tone: ACT,
  },
  proxy_misconfigured: {
    means: "The address of the tool proxy is missing or malformed.",
    advice: "Set ODYSSEY_PUBLIC_URL of this server to an absolute http(s) address that agents can reach.",
    tone: RETRY,
  },
  contract_error: {
    means: "The answer is JSON, but has no non-empty final_response.",
    advice: "Always return final_response as a string with text, also when the agent gives up.",
    tone: ACT,
  },
  transport_error: {
    means: "The connection broke after the dispatch was sent.",
    advice:
      "The agent, or something between, closed it early. Look for a crash or an idle limit of a gateway.",
    tone: RETRY,
  },
  internal_error: {
    means: "Odyssey itself could not finish this run.",
    advice: "The agent is not at fault. The server's log has the cause; run it again.",
    tone: ACT,
  },
  platform_fault: {
    means:
      "Odyssey's database or disk, or the simulator model, was away while the agent worked, so the run says nothing of it.",
    advice:
      "The agent is not at fault. The event platform_fault in the trace says what was away: mend it, then run it again. If the agent reached a live tool that may write, look first what it did there.",
    tone: ACT,
  },
  response_contract_violation: {
    means: "The agent must return a gradeable transcript, and no assistant message has any text.",
    advice:
      "Return messages with at least one assistant message that has text, or relax the response contract.",
    tone: ACT,
  },
  agent_model_unresolved: {
    means: "The run demands a judge or a persona, and no model is configured for it.",
    advice: "Set a judge model, or leave out what needs one.",
    tone: ACT,
  },
};

export const ERROR_CLASSES = Object.keys(CLASSES);

export function errorClass(name: string): ErrorClass {
  return CLASSES[name] ?? { means: "The run failed.", advice: "The detail below says why.", tone: ACT };
}
