import {
  Group,
  Loader,
  NativeSelect,
  SegmentedControl,
  Select,
  SimpleGrid,
  Stack,
  Text,
} from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { cassettesQuery } from "~/api/cassettes";
import { counted } from "~/components/counted";
import { Panel, TextLink } from "~/components/page";
import { Refusal } from "~/components/refusal";
import type { NewRun, Replay } from "~/pages/runs/new-run";

interface LiveToolsSectionProps {
  run: NewRun;
  onChange: (part: Partial<NewRun>) => void;
  /** Names of the passthrough tools of the version that runs. */
  live: string[];
  error: string | null;
}

const MATCH: Record<Replay["match"], string> = {
  strict: "Calls must come in the recorded order.",
  lenient: "Calls may come in any order, and again.",
};
const ON_MISS: Record<Replay["onMiss"], string> = {
  fail: "What it does not have is a transport error; nothing is sent.",
  capture: "What it does not have is asked live, and added to it.",
};

/** Whether the passthrough tools are asked, or played from a cassette. */
export function LiveToolsSection({ run, onChange, live, error }: LiveToolsSectionProps) {
  const { replay } = run;
  if (live.length === 0 && !replay.on) return null;
  const change = (part: Partial<Replay>) => onChange({ replay: { ...replay, ...part } });
  return (
    <Panel
      title="Live tools"
      tools={
        <Group>
          <SegmentedControl
            size="xs"
            aria-label="Where the answers of live tools come from"
            value={replay.on ? "replay" : "live"}
            onChange={(choice) => change({ on: choice === "replay" })}
            data={[
              { value: "live", label: "Asked" },
              { value: "replay", label: "Played from a cassette" },
            ]}
          />
        </Group>
      }
    >
      <Stack gap="sm">
        <Text size="sm" style={{ overflowWrap: "anywhere" }}>
          {live.length === 0
            ? "No tool of this agent is passthrough: the cassette would not be played."
            : replay.on
              ? `${live.join(", ")}: answered as they were, without the network.`
              : `${live.join(", ")}: each call goes out, with its real effects.`}
        </Text>
        {replay.on && <ReplayFields replay={replay} change={change} error={error} />}
      </Stack>
    </Panel>
  );
}

interface ReplayFieldsProps {
  replay: Replay;
  change: (part: Partial<Replay>) => void;
  error: string | null;
}

function ReplayFields({ replay, change, error }: ReplayFieldsProps) {
  const { data: cassettes, error: failure } = useQuery(cassettesQuery);
  const unknown =
    replay.id !== null && cassettes !== undefined && !cassettes.some(({ id }) => id === replay.id);
  return (
    <>
      <div data-field="cassette">
        <Select
          label="Cassette"
          placeholder={cassettes?.length === 0 ? "There are none yet" : "Choose a cassette"}
          searchable
          allowDeselect={false}
          nothingFoundMessage="No such cassette"
          data={(cassettes ?? []).map(({ id, name, interactions, run_id }) => ({
            value: id,
            label: `${name} (${counted(interactions, "call")} of run ${run_id})`,
          }))}
          value={unknown ? null : replay.id}
          onChange={(id) => change({ id })}
          error={unknown ? "This cassette is not there any more." : error}
          rightSection={cassettes === undefined && failure === null ? <Loader size={14} /> : undefined}
        />
      </div>
      {failure && <Refusal error={failure} />}
      {cassettes?.length === 0 && (
        <Text size="sm">
          Record one from{" "}
          <TextLink to="/runs" underline="always">
            a run
          </TextLink>{" "}
          with passthrough calls.
        </Text>
      )}
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        <NativeSelect
          size="xs"
          label="Match"
          data={["strict", "lenient"]}
          value={replay.match}
          onChange={({ currentTarget }) => change({ match: currentTarget.value as Replay["match"] })}
          description={MATCH[replay.match]}
          inputWrapperOrder={["label", "input", "error", "description"]}
        />
        <NativeSelect
          size="xs"
          label="On a miss"
          data={["fail", "capture"]}
          value={replay.onMiss}
          onChange={({ currentTarget }) => change({ onMiss: currentTarget.value as Replay["onMiss"] })}
          description={ON_MISS[replay.onMiss]}
          inputWrapperOrder={["label", "input", "error", "description"]}
        />
      </SimpleGrid>
    </>
  );
}
