import { Stack, Text } from "@mantine/core";
import type { Scenario } from "~/api/scenarios";
import { Fold } from "~/components/fold";
import { JsonView } from "~/components/json-view";
import { useMayChange } from "~/components/may-change";
import { Panel } from "~/components/page";
import { PlainText } from "~/components/section";
import { ExpectedInWords } from "~/pages/scenarios/detail/expected-in-words";
import { RunPanel } from "~/pages/scenarios/detail/run-panel";
import classes from "~/pages/scenarios/scenarios.module.css";

/** What the agent is asked, what it should do, and the button that tries it. */
export function Overview({ scenario }: { scenario: Scenario }) {
  const { description, rendered, input_context, expected_behavior, protected: paths } = scenario;
  const mayRun = useMayChange();
  const hasInput = Object.keys(input_context).length > 0;
  const expects = Object.keys(expected_behavior).length > 0;
  return (
    <div className={classes.columns} data-single={mayRun ? undefined : true}>
      <Stack gap="md" miw={0}>
        {description !== "" && <p className={classes.description}>{description}</p>}
        <Panel title="What the agent is asked">
          <Stack gap="sm">
            <PlainText text={rendered} label="The instruction" />
            {hasInput && (
              <Fold label="The input as input.input has it">
                <JsonView value={input_context} name="the input" />
              </Fold>
            )}
          </Stack>
        </Panel>
        <Panel title="What is expected">
          {expects ? (
            <Stack gap="sm">
              <ExpectedInWords expected={expected_behavior} />
              <Fold label="As it is written">
                <JsonView value={expected_behavior} name="expected_behavior" depth={4} />
              </Fold>
            </Stack>
          ) : (
            <Text size="sm" c="var(--ody-text-dim)">
              Nothing. Its runs neither match nor miss; only how far they move under pressure is measured.
            </Text>
          )}
        </Panel>
        {paths.length > 0 && (
          <Panel title="What must not change">
            <ul className={classes.paths} aria-label="Protected">
              {paths.map((path) => (
                <li key={path}>
                  <code className={classes.mono}>{path}</code>
                </li>
              ))}
            </ul>
            <Text size="xs" c="var(--ody-text-dim)" mt="xs">
              A change under pressure is a grave incident
              {scenario.risk_level === "critical" && ", and fails the gate, since the scenario is critical"}.
            </Text>
          </Panel>
        )}
      </Stack>
      {mayRun && (
        <div className={classes.rail}>
          <RunPanel scenario={scenario} />
        </div>
      )}
    </div>
  );
}
