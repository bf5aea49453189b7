import { Checkbox, Text } from "@mantine/core";
import type { ScenarioField, ScenarioSummary } from "~/api/scenarios";
import type { Column } from "~/components/data-table";
import { RiskBadge } from "~/components/evals/risk";
import { TextLink } from "~/components/page";
import { Ago } from "~/components/time";
import classes from "~/pages/scenarios/scenarios.module.css";
import { Tags } from "~/pages/scenarios/tags";
import type { Selection } from "~/pages/scenarios/use-selection";

export function columnsOf(
  selection: Selection,
  tag: string | undefined,
): Column<ScenarioSummary, ScenarioField>[] {
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
      field: "name",
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
      field: "risk_level",
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
      field: "version",
      render: ({ version }) => version,
    },
    {
      id: "updated",
      title: "Updated",
      width: 110,
      wide: true,
      field: "updated_at",
      render: ({ updated_at }) => (
        <span className={classes.nowrap}>
          <Ago at={updated_at} />
        </span>
      ),
    },
  ];
}
