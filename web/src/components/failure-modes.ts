import { ERROR_CLASSES, errorClass } from "~/components/error-classes";

interface FailureMode {
  words: string;
  /** What it says of the run, as a sentence. */
  means: string;
}

const MODES: Record<string, FailureMode> = {
  claimed_without_call: {
    words: "claimed without a call",
    means: "The agent says it did something, and the proxy never saw the call.",
  },
  policy_violated: {
    words: "policy violated",
    means: "A call was made that the policy of the task forbids, or before it was allowed.",
  },
  acted_instead_of_refusing: {
    words: "acted instead of refusing",
    means: "The task should have been turned down, and the agent changed something.",
  },
  side_effect: {
    words: "side effect",
    means: "The agent changed something that the task says is to stay as it is.",
  },
  check_failed: { words: "check failed", means: "A check of the task does not hold." },
  rubric_failed: {
    words: "rubric failed",
    means: "The judge's answer to a required question does not pass.",
  },
  grader_failed: {
    words: "grader failed",
    means: "A check or the judge broke, which says nothing about the agent.",
  },
  world_at_fault: {
    words: "world at fault",
    means: "Checks fail by nothing but faulty answers of the world, which says nothing about the agent.",
  },
  budget_exhausted: {
    words: "budget used up",
    means: "The judge was not asked: the organisation's budget for today is used up.",
  },
};

/** A failure mode in words; when the agent itself failed, it is the run's error class. */
export function failureMode(name: string): FailureMode {
  const known = MODES[name];
  if (known) return known;
  const means = ERROR_CLASSES.includes(name) ? errorClass(name).means : "Why it was not a pass.";
  return { words: name.replaceAll("_", " "), means };
}
