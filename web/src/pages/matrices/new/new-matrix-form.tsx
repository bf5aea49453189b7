import { Stack } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import type { FormEvent } from "react";
import type { Delivery } from "~/api/evals";
import { matricesChanged, startMatrix } from "~/api/matrices";
import { errorsBelow, messageAt } from "~/api/problem";
import type { Agent } from "~/api/queries";
import type { Variation } from "~/api/variations";
import { counted } from "~/components/counted";
import { useDraftForm } from "~/components/form/use-draft-form";
import { Panel } from "~/components/page";
import { writtenRules } from "~/components/rules/draft";
import classes from "~/pages/matrices/matrices.module.css";
import { bodyOf, type Draft, EMPTY, sizeOfDraft } from "~/pages/matrices/new/draft";
import { PlanPanel } from "~/pages/matrices/new/plan-panel";
import { RuleSets } from "~/pages/matrices/new/rule-sets";
import { ScenarioChoice } from "~/pages/matrices/new/scenario-choice";
import { SecondLook } from "~/pages/matrices/new/second-look";
import { Settings } from "~/pages/matrices/new/settings";
import { VariationChoice } from "~/pages/matrices/new/variation-choice";

interface NewMatrixFormProps {
  agents: Agent[];
  variations: Variation[];
}

/** Everything that makes a matrix, with what it comes to beside it. */
export function NewMatrixForm({ agents, variations }: NewMatrixFormProps) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const { draft, change, problem, saving, submit } = useDraftForm({
    beginning: (): Draft => ({
      ...EMPTY,
      variations: variations.filter(({ built_in }) => built_in).map(({ name }) => name),
    }),
    save: (written) => {
      const chosen = chosenAgent(agents, written.agentId);
      const delivery = written.delivery ?? deliveryOf(chosen);
      return startMatrix(bodyOf({ ...written, agentId: chosen?.id ?? null }, delivery));
    },
    onSaved: ({ id, planned_runs, confirm_runs_max }) => {
      matricesChanged(client);
      const fresh =
        confirm_runs_max === 0 ? "" : `, up to ${counted(confirm_runs_max, "fresh run")} to follow`;
      notifications.show({ message: `${counted(planned_runs, "run")} started${fresh}` });
      void navigate({ to: "/matrices/$matrixId", params: { matrixId: id } });
    },
  });
  const agent = chosenAgent(agents, draft.agentId);
  const way = draft.delivery ?? deliveryOf(agent);
  const size = sizeOfDraft(draft);
  const errors = problem?.errors ?? [];
  const faulty = draft.ruleSets.some(({ rules }) => writtenRules(rules).faults.length > 0);
  const lacks = whatLacks(draft, agent, faulty);

  function start(event: FormEvent) {
    event.preventDefault();
    submit();
  }

  return (
    <form onSubmit={start} noValidate>
      <div className={classes.layout}>
        <Stack gap="md" miw={0}>
          <Panel title="Scenarios: the rows">
            <ScenarioChoice
              chosen={draft.scenarios}
              onChange={(scenarios) => change({ scenarios })}
              error={messageAt(errors, "scenario_ids")}
            />
          </Panel>
          <Panel title="Variations: the columns">
            <VariationChoice
              variations={variations}
              chosen={draft.variations}
              onChange={(chosen) => change({ variations: chosen })}
              error={messageAt(errors, "variation_types")}
            />
          </Panel>
          <Panel title="How it is run">
            <Settings
              draft={draft}
              onChange={change}
              agents={agents}
              agent={agent}
              way={way}
              configured={deliveryOf(agent)}
              errors={errors}
            />
          </Panel>
          <Panel title="What is run again, and what must match without pressure">
            <SecondLook draft={draft} onChange={change} errors={errors} />
          </Panel>
          <Panel title="While something is broken">
            <RuleSets
              sets={draft.ruleSets}
              onChange={(ruleSets) => change({ ruleSets })}
              agent={agent}
              errors={errorsBelow(errors, "rule_sets")}
            />
          </Panel>
        </Stack>
        <PlanPanel size={size} lacks={lacks} problem={problem} starting={saving} />
      </div>
    </form>
  );
}

/** The one that is named, or the only one there is to choose. */
function chosenAgent(agents: Agent[], agentId: number | null): Agent | undefined {
  const published = agents.filter(({ published_version }) => published_version !== null);
  return agents.find(({ id }) => id === agentId) ?? (published.length === 1 ? published[0] : undefined);
}

function deliveryOf(agent: Agent | undefined): Delivery {
  const named = agent?.config.variation_delivery;
  return named === "system" || named === "tool_result" ? named : "user";
}

/** What is needed before it can start. */
function whatLacks(draft: Draft, agent: Agent | undefined, faulty: boolean): string | null {
  if (draft.scenarios.length === 0) return "Choose a scenario.";
  if (draft.variations.length === 0) return "Choose a variation.";
  if (agent === undefined) return "Choose an agent.";
  if (agent.published_version === null) return "The agent must be published first.";
  if (Number(draft.repeats) < 1 || Number(draft.baselineRepeats) < 1) return "Repeats begin at 1.";
  if (draft.ruleSets.some(({ name }) => name.trim() === "")) return "Give every rule set a name.";
  if (faulty) return "Mend the failure rules.";
  return null;
}
