import { Text, Tooltip } from "@mantine/core";
import type { Cell } from "~/api/evals";
import classes from "~/components/comparison/comparison.module.css";
import { figure } from "~/components/evals/figures";
import { PART_NAMES } from "~/components/evals/names";

/** How much each part adds to the distance, and how much of that baselines have among themselves. */
export function Moved({ cell: { explanation } }: { cell: Cell }) {
  if (explanation === null)
    return <Text size="sm">Both sides need a run that says something of the agent.</Text>;
  const parts = explanation.parts.toSorted(
    (a, b) => b.contribution - b.among_baselines - (a.contribution - a.among_baselines),
  );
  return (
    <>
      <Text size="sm" mb="xs">
        {explanation.moved === null ? (
          "No part moved beyond its noise."
        ) : (
          <>
            <b>{PART_NAMES[explanation.moved]}</b> moved most beyond its noise.
          </>
        )}
      </Text>
      <ul className={classes.parts} aria-label="Parts of the distance">
        {parts.map(({ part, contribution, among_baselines }) => (
          <li key={part}>
            <span>{PART_NAMES[part]}</span>
            <Tooltip
              label={`${figure(contribution)} between the two sides, ${figure(among_baselines)} among baselines`}
            >
              <span className={classes.number}>
                {figure(contribution)} <span className={classes.dim}>noise {figure(among_baselines)}</span>
              </span>
            </Tooltip>
            <span className={classes.share} aria-hidden>
              <span className={classes.contribution} style={{ width: `${contribution * 100}%` }} />
              <span className={classes.among} style={{ width: `${among_baselines * 100}%` }} />
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}
