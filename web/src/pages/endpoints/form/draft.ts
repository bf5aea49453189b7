/** An endpoint as it stands in the form. */
import type { Endpoint, EndpointBody, EndpointType } from "~/api/endpoints";
import type { FieldError } from "~/api/problem";

export type AuthType = "none" | "bearer" | "api_key";
export type SpecFrom = "address" | "text" | "kept";

export interface EndpointDraft {
  name: string;
  description: string;
  type: EndpointType;
  /** Of an MCP server. */
  url: string;
  baseUrl: string;
  specFrom: SpecFrom;
  specUrl: string;
  spec: string;
  auth: AuthType;
  header: string;
  credential: string;
  /** Undefined keeps what is stored. */
  secret: string | undefined;
}

export const DEFAULT_HEADER = "X-API-Key";

export const EMPTY: EndpointDraft = {
  name: "",
  description: "",
  type: "http_openapi",
  url: "",
  baseUrl: "",
  specFrom: "address",
  specUrl: "",
  spec: "",
  auth: "none",
  header: DEFAULT_HEADER,
  credential: "",
  secret: undefined,
};

export function draftOf({ name, description, type, config }: Endpoint): EndpointDraft {
  return {
    ...EMPTY,
    name,
    description,
    type,
    url: config.url ?? "",
    baseUrl: config.base_url ?? "",
    specFrom: config.spec_url === null ? "kept" : "address",
    specUrl: config.spec_url ?? "",
    auth: config.auth.type,
    header: config.auth.header ?? DEFAULT_HEADER,
    credential: config.auth.credential ?? "",
  };
}

/** What is sent; a document and a secret that are not written here stay as they are stored. */
export function bodyOf(draft: EndpointDraft): EndpointBody {
  return {
    name: draft.name.trim(),
    description: draft.description,
    type: draft.type,
    config: { ...placeOf(draft), auth: authOf(draft) },
  };
}

function placeOf(draft: EndpointDraft): Record<string, unknown> {
  if (draft.type === "mcp_server") return { url: draft.url.trim() };
  const base = { base_url: draft.baseUrl.trim() === "" ? null : draft.baseUrl.trim() };
  if (draft.specFrom === "kept") return base;
  return draft.specFrom === "text"
    ? { ...base, spec: draft.spec }
    : { ...base, spec_url: draft.specUrl.trim() };
}

function authOf({ auth, header, credential, secret }: EndpointDraft): Record<string, unknown> {
  if (auth === "none") return { type: auth };
  return {
    type: auth,
    ...(auth === "api_key" && { header: header.trim() || DEFAULT_HEADER }),
    ...(credential.trim() !== "" && { credential: credential.trim() }),
    ...(secret !== undefined && secret !== "" && { secret }),
  };
}

/** The same for a terminal: no secret is ever copied. */
export function shownBody(draft: EndpointDraft): EndpointBody {
  return bodyOf({ ...draft, secret: draft.secret ? "…" : undefined });
}

/** What can be seen here at once. */
export function faultsOf(draft: EndpointDraft): FieldError[] {
  const found: FieldError[] = [];
  const need = (isMissing: boolean, loc: string[], msg: string) => isMissing && found.push({ loc, msg });
  need(draft.name.trim() === "", ["name"], "An endpoint needs a name.");
  if (draft.type === "mcp_server") {
    need(draft.url.trim() === "", ["config", "url"], "Where does the MCP server listen?");
  }
  if (draft.type === "http_openapi") {
    const { specFrom, specUrl, spec } = draft;
    need(specFrom === "address" && specUrl.trim() === "", ["config", "spec_url"], "Where is the document?");
    need(specFrom === "text" && spec.trim() === "", ["config", "spec"], "Paste the document.");
  }
  return found;
}
