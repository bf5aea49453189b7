/** What an organisation uses language models for, in words. */
import type { Settings } from "~/api/settings";

export type Role = keyof Settings["models"];

interface Words {
  title: string;
  /** What it is called inside a sentence. */
  name: string;
  without: string;
  about: string;
  use: string;
  removed: string;
}

export const ROLES: Record<Role, Words> = {
  judge: {
    title: "Judge model",
    name: "judge",
    without:
      "There is none: verdicts come from the checks of the tasks alone. With a judge model every run is graded, also one without checks.",
    about:
      "It answers the rubric of a task, or a few questions of ours when there is none. What the answers are worth is computed here.",
    use: "Use this judge",
    removed:
      "Its key is deleted. Runs to come are graded by their checks alone; verdicts that were given stay.",
  },
  simulator: {
    title: "Simulator model",
    name: "simulator",
    without:
      "There is none: tool calls are answered by programs and by the world alone. With one, it answers the calls the world is not sure of.",
    about:
      "It answers the tool calls the world is not sure of, and those of tools that ask for it; it proposes programs for odyssey compile. It sees the call, the behaviour and the entities that matter to it, nothing of the task.",
    use: "Use this simulator",
    removed: "Its key is deleted. Calls to come are answered by programs and by the world alone.",
  },
};
