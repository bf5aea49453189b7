import { Paper, Text, Tooltip } from "@mantine/core";
import type { ReactNode } from "react";
import type { World } from "~/api/worlds";
import { Copy } from "~/components/copy";
import { EntityCounts } from "~/components/entity-counts";
import { intervalText, percent } from "~/components/share";
import { Ago } from "~/components/time";
import { size } from "~/pages/worlds/sizes";
import classes from "~/pages/worlds/worlds.module.css";

const HASH_SHOWN = 8;

/** What there is to know about a world before looking into it. */
export function WorldFacts({ world }: { world: World }) {
  const responses = world.fidelity?.responses;
  return (
    <Paper withBorder bg="var(--ody-surface)" component="section" aria-label="About this world">
      <dl className={classes.facts}>
        <Fact label="Entities">
          <EntityCounts counts={world.entity_counts} />
        </Fact>
        <Fact label="Size">{size(world.bytes)}</Fact>
        <Fact label="Failure rules">{world.rules === 0 ? "none" : world.rules}</Fact>
        <Fact label="Behaviour">{world.behavior_instructions.trim() === "" ? "none" : "given"}</Fact>
        <Fact label="Fidelity">
          {responses?.share == null ? (
            "not measured"
          ) : (
            <Tooltip label="Share of recorded calls that the world answers as the real back end did">
              <span>
                {percent(responses.share)}{" "}
                <Text span size="xs" c="var(--ody-text-dim)">
                  {intervalText(responses.interval)}
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
      </dl>
    </Paper>
  );
}

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}
