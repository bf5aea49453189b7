import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { api, data } from "~/api/client";
import { asProblem, type FieldError } from "~/api/problem";
import { type Settings, type SettingsChange, settingsQuery } from "~/api/settings";

interface Saving {
  save: (change: SettingsChange) => void;
  saving: boolean;
  /** What the server found, by place in the change. */
  faults: FieldError[];
  /** A failure that is no field's. */
  failure: Error | null;
}

export function useSave(told: string, onSaved: (settings: Settings) => void): Saving {
  const client = useQueryClient();
  const mutation = useMutation({
    mutationFn: (body: SettingsChange) => data(api.PUT("/api/settings", { body })),
    onSuccess: async (settings) => {
      await client.cancelQueries({ queryKey: settingsQuery.queryKey }); // asked for before, it would bring back what was there
      client.setQueryData(settingsQuery.queryKey, settings);
      onSaved(settings);
      notifications.show({ message: told });
    },
  });
  const faults = mutation.error === null ? [] : asProblem(mutation.error).errors;
  return {
    save: mutation.mutate,
    saving: mutation.isPending,
    faults,
    failure: faults.length === 0 ? mutation.error : null,
  };
}
