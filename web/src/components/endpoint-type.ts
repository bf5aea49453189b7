import type { EndpointType } from "~/api/endpoints";

interface TypeWords {
  name: string;
  /** Which tool body it is for. */
  pick: string;
  about: string;
}

export const TYPES: Record<EndpointType, TypeWords> = {
  http_openapi: {
    name: "OpenAPI",
    pick: "The tool calls one upstream that has an OpenAPI document, and reshapes nothing.",
    about: "Every operation of the document becomes a tool.",
  },
  mcp_server: {
    name: "MCP server",
    pick: "The tool is one of an MCP server that you host already.",
    about: "Its tools are listed over streamable HTTP.",
  },
  code: {
    name: "Code",
    pick: "The tool does more than one raw call: strips HTML, parses, reshapes, calls several things.",
    about:
      "Not available yet: passthrough is a verbatim forward and runs no such code. Keep the tool in the sandbox.",
  },
};
