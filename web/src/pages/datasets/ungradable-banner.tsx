import { Text } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import type { Ungradable } from "~/api/datasets";
import { Banner } from "~/components/banner";
import { counted } from "~/components/counted";

const MOST_NAMED = 10;

const WHY: Record<Ungradable["ungradable"][number]["reason"], string> = {
  nothing_to_grade_by:
    "No checks, no rubric, no refusal to expect, and no judge model in the settings: runs get no verdict.",
  no_judge_model:
    "A rubric, and no judge model in the settings to ask: runs are NOT APPLICABLE unless a check fails.",
};

/** Says before anything runs which rows can never get a PASS, whatever the agent does; nothing if all can. */
export function UngradableBanner({ found }: { found: Ungradable | undefined }) {
  if (!found || found.ungradable_rows === 0) return null;
  const rows = found.ungradable.slice(0, MOST_NAMED).map(({ row }) => row);
  const reasons = [...new Set(found.ungradable.map(({ reason }) => reason))];
  return (
    <Banner
      tone="amber"
      icon={<IconAlertTriangle size={16} aria-hidden />}
      label="Rows that can never get a PASS"
    >
      <Text size="sm" fw={600}>
        {counted(found.ungradable_rows, "row")} can never get a PASS: {rows.join(", ")}
        {found.ungradable_rows > rows.length && ", …"}
      </Text>
      {reasons.map((reason) => (
        <Text key={reason} size="sm">
          {WHY[reason]}
        </Text>
      ))}
    </Banner>
  );
}
