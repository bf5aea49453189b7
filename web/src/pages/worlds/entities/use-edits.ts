import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, data, type Schemas } from "~/api/client";
import { asProblem, type Problem } from "~/api/problem";
import { type World, worldQuery, worldsQuery } from "~/api/worlds";
import { counted } from "~/components/counted";
import {
  applied,
  differences,
  type Edit,
  operationsOf,
  rebased,
  withEdit,
  withoutEdit,
} from "~/pages/worlds/entities/edits";

/** The world was changed by something else since it was read: what that did, and where it meets these edits. */
export interface Meanwhile {
  world: World;
  changes: Edit[];
}

export interface Edits {
  list: Edit[];
  /** Another one whenever entities changed other than by `put`: fields must be read again. */
  version: number;
  put: (edit: Edit) => void;
  drop: (type: string, id: string) => void;
  discard: () => void;
  save: () => void;
  saving: boolean;
  refused: Problem | null;
  meanwhile: Meanwhile | null;
  /** Go on from the world as it is now, with the same wishes. */
  reload: () => void;
}

/** Edits of one world; they belong to the content that was seen when the first of them was made. */
export function useEdits(world: World): Edits {
  const client = useQueryClient();
  const [list, setList] = useState<Edit[]>([]);
  const [seen, setSeen] = useState(world);
  const [version, setVersion] = useState(0);
  const [meanwhile, setMeanwhile] = useState<Meanwhile | null>(null);
  if (list.length === 0 && seen !== world) setSeen(world);

  const mutation = useMutation({
    mutationFn: (edits: Edit[]) =>
      data(
        api.POST("/api/worlds/{world_id}/operations", {
          params: { path: { world_id: world.id } },
          body: { operations: operationsOf(edits) as Schemas["WorldEdit"]["operations"], hash: seen.hash },
        }),
      ),
    onSuccess: (summary, edits) => {
      // Known at once, so that the next edit belongs to the content this one made.
      const initial_state = applied(seen.initial_state, edits);
      client.setQueryData(worldQuery(world.id).queryKey, { ...seen, ...summary, initial_state });
      startOver([]);
      notifications.show({ message: `${counted(edits.length, "entity", "entities")} saved` });
      void client.invalidateQueries({ queryKey: worldsQuery.queryKey });
    },
    onError: async (error) => {
      if (asProblem(error).code !== "world_changed") return;
      const now = await client.fetchQuery({ ...worldQuery(world.id), staleTime: 0 });
      void client.invalidateQueries({ queryKey: [...worldQuery(world.id).queryKey, "entities"] });
      setMeanwhile({ world: now, changes: differences(seen.initial_state, now.initial_state) });
    },
  });

  function startOver(edits: Edit[]) {
    setList(edits);
    setMeanwhile(null);
    setVersion((before) => before + 1);
  }

  function put(edit: Edit) {
    mutation.reset();
    setList((before) => withEdit(before, edit));
  }

  return {
    list,
    put,
    drop: (type, id) => {
      mutation.reset();
      startOver(withoutEdit(list, type, id));
    },
    discard: () => {
      mutation.reset();
      startOver([]);
    },
    version,
    save: () => mutation.mutate(list),
    saving: mutation.isPending,
    refused: mutation.error === null ? null : asProblem(mutation.error),
    meanwhile,
    reload: () => {
      if (meanwhile === null) return;
      mutation.reset();
      setSeen(meanwhile.world);
      startOver(rebased(list, meanwhile.world.initial_state));
    },
  };
}
