import { Chip, Group, Select, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { CellSummary } from "~/api/evals";
import { agentsQuery } from "~/api/queries";
import { DOSES } from "~/api/variations";
import { addressOf, isPressed, type Pressed, sameGroup } from "~/components/comparison/cell-search";
import type { ChangeSearch } from "~/components/comparison/comparison";
import classes from "~/components/comparison/comparison.module.css";
import { DELIVERIES, deliveryName, variationName } from "~/components/evals/names";
import { Panel } from "~/components/page";

interface CellChoiceProps {
  cells: CellSummary[];
  chosen: Pressed;
  onChange: ChangeSearch;
}

/** Which pressure, how strong, which way, on which version: only what has runs is offered. */
export function CellChoice({ cells, chosen, onChange }: CellChoiceProps) {
  const group = cells.filter(isPressed).filter((cell) => sameGroup(cell, chosen));
  const variations = firstOfEach(group, (cell) => cell.variation_type);
  const ofVariation = group.filter((cell) => cell.variation_type === chosen.variation_type);
  const doses = firstOfEach(ofVariation, (cell) => cell.dose ?? "");
  const ways = ofVariation.filter((cell) => cell.dose === chosen.dose);
  const choose = (among: Pressed[], is: (cell: Pressed) => boolean) => {
    const found = among.find(is);
    if (found) onChange(addressOf(found));
  };
  return (
    <Panel>
      <div className={classes.choices}>
        <Choice label="Pressure">
          <Chips
            label="Pressure"
            value={chosen.variation_type}
            options={variations.map((cell) => [
              cell.variation_type,
              variationName(cell.variation_type),
              countOf(group.filter((each) => each.variation_type === cell.variation_type)),
            ])}
            onChange={(type) => choose(variations, (cell) => cell.variation_type === type)}
          />
        </Choice>
        <Choice label="Dose">
          <Chips
            label="Dose"
            value={chosen.dose ?? ""}
            options={doses.map((cell) => [
              cell.dose ?? "",
              cell.dose ?? "",
              countOf(ofVariation.filter((each) => each.dose === cell.dose)),
            ])}
            onChange={(dose) => choose(doses, (cell) => cell.dose === dose)}
          />
        </Choice>
        <Choice
          label="Delivery"
          help={chosen.delivery === null ? undefined : DELIVERIES[chosen.delivery].means}
        >
          <Chips
            label="Delivery"
            value={wayOf(chosen)}
            options={ways.map((cell) => [
              wayOf(cell),
              cell.delivery === null ? "" : deliveryName(cell.delivery, cell.step),
              countOf([cell]),
            ])}
            onChange={(way) => choose(ways, (cell) => wayOf(cell) === way)}
          />
        </Choice>
        <GroupChoice cells={cells} chosen={chosen} onChange={onChange} />
      </div>
    </Panel>
  );
}

function GroupChoice({ cells, chosen, onChange }: CellChoiceProps) {
  const { data: agents } = useQuery(agentsQuery);
  const groups = firstOfEach(cells.filter(isPressed), groupKey);
  const nameOf = (cell: CellSummary) => {
    const agent = agents?.find(({ id }) => id === cell.agent_id)?.name ?? `Agent ${cell.agent_id}`;
    const rules = cell.rule_set === null ? "" : `, while ${cell.rule_set}`;
    return `${agent} v${cell.agent_version}, scenario v${cell.scenario_version}${rules}`;
  };
  if (groups.length === 1) {
    return (
      <Choice label="Of">
        <Text size="sm" className={classes.anywhere}>
          {nameOf(chosen)}
        </Text>
      </Choice>
    );
  }
  return (
    <Choice label="Of">
      <Select
        aria-label="Version of agent and scenario"
        size="xs"
        w={300}
        maw="100%"
        allowDeselect={false}
        data={groups.map((cell) => ({ value: groupKey(cell), label: nameOf(cell) }))}
        value={groupKey(chosen)}
        onChange={(key) => {
          const there = cells.filter(isPressed).filter((cell) => groupKey(cell) === key);
          const found = there.find((cell) => cell.variation_type === chosen.variation_type) ?? there[0];
          if (found) onChange(addressOf(found));
        }}
      />
    </Choice>
  );
}

interface ChoiceProps {
  label: string;
  help?: string | undefined;
  children: React.ReactNode;
}

function Choice({ label, help, children }: ChoiceProps) {
  return (
    <div className={classes.choice} title={help}>
      <span className={classes.choiceLabel}>{label}</span>
      {children}
    </div>
  );
}

interface ChipsProps {
  label: string;
  value: string;
  options: [value: string, label: string, count: number][];
  onChange: (value: string) => void;
}

function Chips({ label, value, options, onChange }: ChipsProps) {
  return (
    <Chip.Group value={value} onChange={onChange}>
      <Group gap={4} role="group" aria-label={label}>
        {options.map(([option, words, count]) => (
          <Chip key={option} value={option} size="xs" variant="outline" radius="sm">
            {words} <span className={classes.dim}>{count}</span>
          </Chip>
        ))}
      </Group>
    </Chip.Group>
  );
}

function firstOfEach(cells: Pressed[], keyOf: (cell: Pressed) => string): Pressed[] {
  const found = new Map<string, Pressed>();
  for (const cell of cells) if (!found.has(keyOf(cell))) found.set(keyOf(cell), cell);
  return [...found.values()].sort((a, b) =>
    order(keyOf(a)).localeCompare(order(keyOf(b)), "en", { numeric: true }),
  );
}

/** Names by the alphabet, doses by their strength. */
function order(key: string): string {
  const strength = (DOSES as readonly string[]).indexOf(key);
  return strength === -1 ? key : String(strength);
}

function groupKey(cell: CellSummary): string {
  return `${cell.agent_id} ${cell.agent_version} ${cell.scenario_version} ${cell.rule_set ?? ""}`;
}

function wayOf(cell: Pressed): string {
  return `${cell.delivery} ${cell.step}`;
}

/** Of a cell that its matrix ran again only the fresh runs are compared. */
function countOf(cells: Pressed[]): number {
  return cells.reduce((total, { runs, fresh_runs, pending }) => total + (fresh_runs || runs) + pending, 0);
}
