/** Endpoints behind passthrough tools: what pages ask the server for about them. */
import { queryOptions } from "@tanstack/react-query";
import { api, data, type Schemas } from "~/api/client";

export type Endpoint = Schemas["EndpointOut"];
export type EndpointSummary = Schemas["EndpointListed"];
export type EndpointType = EndpointSummary["type"];
export type EndpointAuth = EndpointSummary["config"]["auth"];
export type EndpointTool = Endpoint["tools"][number];
export interface EndpointBody {
  name: string;
  description: string;
  type: EndpointType;
  config: Record<string, unknown>;
}
export type Drift = NonNullable<EndpointSummary["drift"]>;
export type CallAnswer = Schemas["CalledOut"];

/** Every endpoint: an organisation has tens, and tools are bound to them by name. */
export const endpointsQuery = queryOptions({
  queryKey: ["endpoints"],
  queryFn: async ({ signal }) => {
    const endpoints: EndpointSummary[] = [];
    let cursor: string | null = null;
    do {
      const query: { limit: number; cursor?: string } =
        cursor === null ? { limit: 200 } : { limit: 200, cursor };
      const page: Schemas["EndpointsPage"] = await data(
        api.GET("/api/tool-endpoints", { params: { query }, signal }),
      );
      endpoints.push(...page.items);
      cursor = page.next_cursor;
    } while (cursor !== null);
    return endpoints;
  },
});

export const endpointQuery = (endpointId: string) =>
  queryOptions({
    queryKey: ["endpoints", endpointId],
    queryFn: ({ signal }) =>
      data(api.GET("/api/tool-endpoints/{endpoint_id}", { ...at(endpointId), signal })),
  });

export function createEndpoint(body: EndpointBody): Promise<Endpoint> {
  return data(api.POST("/api/tool-endpoints", { body: body as unknown as Schemas["EndpointIn"] }));
}

/** Members of the config that are left out stay as they are. */
export function changeEndpoint(endpointId: string, body: Partial<EndpointBody>): Promise<Endpoint> {
  return data(
    api.PUT("/api/tool-endpoints/{endpoint_id}", {
      ...at(endpointId),
      body: body as unknown as Schemas["EndpointChange"],
    }),
  );
}

export async function deleteEndpoint(endpointId: string): Promise<void> {
  await api.DELETE("/api/tool-endpoints/{endpoint_id}", at(endpointId));
}

export function discoverAgain(endpointId: string): Promise<Endpoint> {
  return data(api.POST("/api/tool-endpoints/{endpoint_id}/discover", at(endpointId)));
}

export function callTool(
  endpointId: string,
  toolName: string,
  args: Record<string, unknown>,
): Promise<CallAnswer> {
  return data(
    api.POST("/api/tool-endpoints/{endpoint_id}/call", {
      ...at(endpointId),
      body: { tool_name: toolName, arguments: args },
    }),
  );
}

function at(endpointId: string) {
  return { params: { path: { endpoint_id: endpointId } } };
}
