import { Loader, Select, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { worldQuery, worldsQuery } from "~/api/worlds";
import { BehavioursShown } from "~/components/behaviours/behaviours-shown";
import { EntityCounts } from "~/components/entity-counts";
import { TextLink } from "~/components/page";
import { Refusal } from "~/components/refusal";
import { RulesInWords } from "~/components/rules/rules-in-words";
import { Section } from "~/components/section";
import { shareText } from "~/components/share";

interface StoredWorldProps {
  worldId: number | null;
  onChoose: (worldId: number | null) => void;
  error: string | null;
}

/** A world chosen by name, and what the run takes from it. */
export function StoredWorld({ worldId, onChoose, error }: StoredWorldProps) {
  const { data: worlds, error: failure } = useQuery(worldsQuery);
  const unknown = worldId !== null && worlds !== undefined && !worlds.some(({ id }) => id === worldId);
  return (
    <Stack gap="sm">
      <div data-field="world_id">
        <Select
          label="Stored world"
          placeholder={worlds?.length === 0 ? "There are none yet" : "Choose a world"}
          searchable
          allowDeselect={false}
          nothingFoundMessage="No such world"
          data={(worlds ?? []).map(({ id, name }) => ({ value: String(id), label: name }))}
          value={worldId === null || unknown ? null : String(worldId)}
          onChange={(id) => onChoose(id === null ? null : Number(id))}
          error={unknown ? `There is no world ${worldId}.` : error}
          description="State, failure rules and behaviour come from it, as it is when the run is started."
          inputWrapperOrder={["label", "input", "error", "description"]}
          rightSection={worlds === undefined && failure === null ? <Loader size={14} /> : undefined}
        />
      </div>
      {failure && <Refusal error={failure} />}
      {worlds?.length === 0 && (
        <Text size="sm">
          <TextLink to="/worlds/new" underline="always">
            Make a world
          </TextLink>
          , or write one here.
        </Text>
      )}
      {worldId !== null && !unknown && <WhatItHolds worldId={worldId} />}
    </Stack>
  );
}

function WhatItHolds({ worldId }: { worldId: number }) {
  const { data: world, error } = useQuery(worldQuery(worldId));
  if (error) return <Refusal error={error} />;
  if (!world) return <Loader size="sm" role="status" aria-label="Loading" />;
  const responses = world.fidelity?.responses;
  return (
    <Stack gap="sm" role="group" aria-label="What the world holds">
      <Section title="Entities">
        <Text size="sm" component="div">
          <EntityCounts counts={world.entity_counts} />
        </Text>
      </Section>
      <Section title="Failure rules">
        <RulesInWords rules={world.failure_rules} />
      </Section>
      {world.behavior_instructions.trim() !== "" && (
        <Section title="Behaviour">
          <BehavioursShown text={world.behavior_instructions} problems={world.behavior_problems} />
        </Section>
      )}
      {responses?.share != null && (
        <Text size="sm">
          Answers like the recorded back end: {shareText({ ...responses, share: responses.share })}.
        </Text>
      )}
      <TextLink to="/worlds/$worldId" params={{ worldId: world.id }}>
        Open the world
      </TextLink>
    </Stack>
  );
}
