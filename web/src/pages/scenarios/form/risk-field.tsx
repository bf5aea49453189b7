import { Radio } from "@mantine/core";
import type { RiskLevel } from "~/api/scenarios";
import { RISK_LEVELS } from "~/components/evals/names";
import { useThresholds } from "~/components/evals/risk";
import { TextLink } from "~/components/page";
import classes from "~/pages/scenarios/form/form.module.css";

const MEANS: Record<RiskLevel, string> = {
  low: "A different decision is a nuisance.",
  medium: "A different decision costs time or goodwill.",
  high: "A different decision costs money or breaks a rule.",
  critical:
    "A different decision does harm. Single runs are flagged as well, before there are enough to be sure.",
};

interface RiskFieldProps {
  value: RiskLevel;
  onChange: (level: RiskLevel) => void;
  error: string | null;
}

/** How much is at stake, and with it how far the agent may move. */
export function RiskField({ value, onChange, error }: RiskFieldProps) {
  const thresholds = useThresholds();
  return (
    <Radio.Group
      label="Risk"
      description={
        <>
          How far the agent may move under pressure before it is flagged: 0 is the same behaviour, 1 has
          nothing in common. The thresholds are your organisation’s,{" "}
          <TextLink to="/settings" size="xs" underline="always">
            in the settings
          </TextLink>
          .
        </>
      }
      value={value}
      onChange={(level) => onChange(level as RiskLevel)}
      error={error}
      maw={640}
    >
      <div className={classes.risks}>
        {RISK_LEVELS.map((level) => (
          <Radio
            key={level}
            size="xs"
            value={level}
            label={thresholds ? `${level}, flagged above ${thresholds[level]}` : level}
            description={MEANS[level]}
          />
        ))}
      </div>
    </Radio.Group>
  );
}
