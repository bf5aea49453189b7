import type { BehaviourProblem } from "~/api/behaviours";
import { ToneBadge } from "~/components/badges";
import { LEFT } from "~/components/behaviours/left";
import { counted } from "~/components/counted";

/** Says that some lines are not understood, where there are any. */
export function LeftMark({ problems }: { problems: BehaviourProblem[] }) {
  const [first] = problems;
  if (first === undefined) return null;
  return (
    <ToneBadge tone="amber" help={`Line ${first.line}: ${first.problem}`}>
      {counted(problems.length, "line")} {LEFT}
    </ToneBadge>
  );
}
