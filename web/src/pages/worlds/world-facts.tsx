import { Text, Tooltip } from "@mantine/core";
import type { World } from "~/api/worlds";
import { LeftMark } from "~/components/behaviours/left-mark";
import { Copy } from "~/components/copy";
import { size } from "~/components/counted";
import { EntityCounts } from "~/components/entity-counts";
import { Fact, Facts } from "~/components/facts";
import { countsIn, intervalText, percent } from "~/components/share";
import { Ago } from "~/components/time";
import classes from "~/pages/worlds/worlds.module.css";

const HASH_SHOWN = 8;

/** What there is to know about a world before looking into it. */
export function WorldFacts({ world }: { world: World }) {
  const responses = world.fidelity?.responses;
  const counts = responses && countsIn(responses);
  return (
    <Facts label="About this world">
      <Fact label="Entities">
        <EntityCounts counts={world.entity_counts} />
      </Fact>
      <Fact label="Size">{size(world.bytes)}</Fact>
      <Fact label="Failure rules">{world.rules === 0 ? "none" : world.rules}</Fact>
      <Fact label="Behaviour">
        {world.behavior_instructions.trim() === "" ? (
          "none"
        ) : (
          <span className={classes.marked}>
            given <LeftMark problems={world.behavior_problems} />
          </span>
        )}
      </Fact>
      <Fact label="Fidelity">
        {responses?.share == null ? (
          "not measured"
        ) : (
          <Tooltip label="Share of recorded calls that the world answers as the real back end did">
            <span>
              {percent(responses.share)}{" "}
              <Text span size="xs" c="var(--ody-text-dim)">
                {intervalText(responses.interval)}
                {counts && `, ${counts}`}
              </Text>
            </span>
          </Tooltip>
        )}
      </Fact>
      <Fact label="Content">
        <span className={classes.mono} title={world.hash}>
          {world.hash.replace(/^\w+:/, "").slice(0, HASH_SHOWN)}
        </span>
        <Copy value={world.hash} what="hash of the content" />
      </Fact>
      <Fact label="Updated">
        <Ago at={world.updated_at} />
      </Fact>
    </Facts>
  );
}
