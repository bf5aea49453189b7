/** A model as it is being written. */
import type { ModelSettings, SettingsChange } from "~/api/settings";
import type { Role } from "~/pages/settings/roles";

export type Provider = ModelSettings["provider"];

export const PROVIDERS: Record<Provider, { label: string; baseUrl: string; model: string }> = {
  openai: { label: "OpenAI", baseUrl: "https://api.openai.com/v1", model: "gpt-4.1-mini" },
  anthropic: { label: "Anthropic", baseUrl: "https://api.anthropic.com", model: "claude-sonnet-4-5" },
};

export interface ModelDraft {
  provider: Provider;
  /** Blank: the provider's own. */
  baseUrl: string;
  model: string;
  /** undefined: as it is; null: none, or to be removed. */
  apiKey: string | null | undefined;
  timeoutS: number | string;
  maxOutputTokens: number | string;
  inputPrice: number | string;
  outputPrice: number | string;
}

export function draftOf(saved: ModelSettings | null): ModelDraft {
  return {
    provider: saved?.provider ?? "openai",
    baseUrl: saved?.base_url ?? "",
    model: saved?.model ?? "",
    apiKey: undefined,
    timeoutS: saved?.timeout_s ?? 60,
    maxOutputTokens: saved?.max_output_tokens ?? 2000,
    inputPrice: saved?.input_usd_per_mtok ?? 0,
    outputPrice: saved?.output_usd_per_mtok ?? 0,
  };
}

export function isSame(a: ModelDraft, b: ModelDraft): boolean {
  return (Object.keys(a) as (keyof ModelDraft)[]).every((name) => a[name] === b[name]);
}

/** Another provider has another address; one of one's own choosing stays. */
export function withProvider(draft: ModelDraft, provider: Provider): ModelDraft {
  const isDefault = draft.baseUrl === PROVIDERS[draft.provider].baseUrl;
  return { ...draft, provider, baseUrl: isDefault ? "" : draft.baseUrl };
}

/** What to send. A blank key says nothing of the key; a blank number is left for the server to refuse. */
export function modelChange(role: Role, draft: ModelDraft): SettingsChange {
  const model = {
    provider: draft.provider,
    base_url: draft.baseUrl.trim() || PROVIDERS[draft.provider].baseUrl,
    model: draft.model.trim(),
    timeout_s: draft.timeoutS,
    max_output_tokens: draft.maxOutputTokens,
    input_usd_per_mtok: draft.inputPrice,
    output_usd_per_mtok: draft.outputPrice,
    ...(draft.apiKey !== undefined && draft.apiKey !== "" && { api_key: draft.apiKey }),
  };
  return { models: { [role]: model } } as SettingsChange;
}
