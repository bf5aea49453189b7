import { Checkbox, Text } from "@mantine/core";
import type { ScenarioSummary } from "~/api/scenarios";
import type { Column } from "~/components/data-table";
import { TextLink } from "~/components/page";
import { Ago } from "~/components/time";
import { RiskBadge } from "~/pages/scenarios/risk";
import classes from "~/pages/scenarios/scenarios.module.css";
import { Tags } from "~/pages/scenarios/tags";
import type { Selection } from "~/pages/scenarios/use-selection";
import { RISK_LEVELS } from "~/routes";

export function columnsOf(selection: Selection, tag: string | undefined): Column<ScenarioSummary>[] {
  return [
    {
      id: "chosen",
      title: "",
      width: 32,
      render: ({ id, name }) => (
        <Checkbox
          size="xs"
          aria-label={`Select ${name}`}
          checked={selection.has(id)}
          onChange={() => selection.toggle(id)}
        />
      ),
    },
    {
      id: "name",
      title: "Name",
      width: "100%",
      value: ({ name }) => name.toLowerCase(),
      render: ({ id, name, description }) => (
        <div className={classes.named}>
          <TextLink
            to="/scenarios/$scenarioId"
            params={{ scenarioId: id }}
            className={classes.name ?? ""}
            lineClamp={2}
            title={name}
          >
            {name}
          </TextLink>
          {description !== "" && (
            <Text className={classes.about ?? ""} lineClamp={1} title={description}>
              {description}
            </Text>
          )}
        </div>
      ),
    },
    {
      id: "risk",
      title: "Risk",
      width: 80,
      value: ({ risk_level }) => RISK_LEVELS.indexOf(risk_level),
      render: ({ risk_level }) => <RiskBadge level={risk_level} />,
    },
    {
      id: "tags",
      title: "Tags",
      wide: true,
      render: ({ tags }) => (
        <div className={classes.tagged}>
          <Tags tags={tags} active={tag} />
        </div>
      ),
    },
    {
      id: "version",
      title: "Version",
      width: 84,
      align: "right",
      wide: true,
      value: ({ version }) => version,
      render: ({ version }) => version,
    },
    {
      id: "updated",
      title: "Updated",
      width: 110,
      wide: true,
      value: ({ updated_at }) => Date.parse(updated_at),
      render: ({ updated_at }) => (
        <span className={classes.nowrap}>
          <Ago at={updated_at} />
        </span>
      ),
    },
  ];
}
