import { Text } from "@mantine/core";
import type { Imported } from "~/api/scenarios";
import { ToneBadge } from "~/components/badges";
import { counted } from "~/components/counted";
import { TextLink } from "~/components/page";
import classes from "~/pages/scenarios/import/import.module.css";

const OUTCOME_TONE = { created: "green", changed: "amber", unchanged: "neutral" } as const;

/** What became of each scenario of a file. */
export function ImportedList({ imported }: { imported: Imported }) {
  const { created, changed, unchanged, items } = imported;
  return (
    <>
      <Text size="sm" role="status">
        {counted(items.length, "scenario")}: {created} new, {changed} changed, {unchanged} as they were.
      </Text>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
      <ul className={classes.taken} tabIndex={0} aria-label="Imported scenarios">
        {items.map(({ id, name, version, outcome }) => (
          <li key={id}>
            <TextLink
              to="/scenarios/$scenarioId"
              params={{ scenarioId: id }}
              search={outcome === "changed" ? { tab: "versions" } : {}}
              truncate
            >
              {name}
            </TextLink>
            <ToneBadge tone={OUTCOME_TONE[outcome]}>
              {outcome === "changed" ? `version ${version}` : outcome === "created" ? "new" : "as it was"}
            </ToneBadge>
          </li>
        ))}
      </ul>
    </>
  );
}
