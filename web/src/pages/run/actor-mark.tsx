import { Tooltip } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { toneColor } from "~/components/badges";
import classes from "~/pages/run/actor-mark.module.css";
import { isUndeclared } from "~/pages/run/model/actors";

interface ActorMarkProps {
  actor: string;
  declared: Set<string> | null;
  /** In a dense row: the last name of the path only, without a tooltip. */
  dense?: boolean;
}

/** Who acted; amber and with a sign when the agent version does not declare it. */
export function ActorMark({ actor, declared, dense = false }: ActorMarkProps) {
  const undeclared = isUndeclared(actor, declared);
  const tone = undeclared ? "amber" : "neutral";
  const mark = (
    <span
      className={classes.mark}
      style={{ color: toneColor(tone), backgroundColor: toneColor(tone, true) }}
      title={dense ? `${actor}${undeclared ? ", undeclared" : ""}` : undefined}
    >
      {undeclared && <IconAlertTriangle size={11} aria-hidden />}
      <span className={classes.name}>{dense ? actor.slice(actor.lastIndexOf("/") + 1) : actor}</span>
      {undeclared && !dense && <span>undeclared</span>}
    </span>
  );
  if (dense || !undeclared) return mark;
  return (
    <Tooltip label="Not among the sub_agents of this agent version" multiline maw={320}>
      {mark}
    </Tooltip>
  );
}
