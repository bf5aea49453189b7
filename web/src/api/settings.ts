/** The organisation's settings: which models are used, what models may cost, and what evals go by. */
import { queryOptions } from "@tanstack/react-query";
import { api, data, type Schemas } from "~/api/client";

export type Settings = Schemas["SettingsOut"];
export type SettingsChange = Schemas["SettingsChange"];
export type ModelSettings = NonNullable<Settings["models"]["judge"]>;

export const settingsQuery = queryOptions({
  queryKey: ["settings"],
  queryFn: ({ signal }) => data(api.GET("/api/settings", { signal })),
});
