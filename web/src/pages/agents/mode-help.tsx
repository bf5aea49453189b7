import { Text } from "@mantine/core";
import { Fold } from "~/components/fold";
import { ModeBadge } from "~/components/mode-badge";
import classes from "~/pages/agents/mode-help.module.css";
import { CHOICES } from "~/pages/agents/passthrough";

/** Sandbox or passthrough: what to choose for which tool. */
export function ModeHelp() {
  return (
    <Fold label="Sandbox or passthrough?">
      <ul className={classes.choices}>
        {CHOICES.map(([tool, mode, why]) => (
          <li key={tool}>
            <ModeBadge mode={mode} />
            <span>
              {tool}
              {why && <Text span inherit c="var(--ody-text-dim)">{` (${why})`}</Text>}
            </span>
          </li>
        ))}
      </ul>
      <Text size="xs" c="var(--ody-text-dim)">
        When in doubt, begin with sandbox: a tool is switched over later without a change to the agent.
        Passthrough is a verbatim forward, at most once per call; failure rules still answer before it.
      </Text>
    </Fold>
  );
}
