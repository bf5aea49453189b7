/** Why the proxy turned a request away, by its code. */
export const REFUSALS: Record<string, string> = {
  actor_id_invalid: "The X-Pipelines-Actor-Id header is malformed.",
  arguments_invalid: "The arguments do not fit the tool's input_schema.",
  body_too_large: "The body is over 1 MiB.",
  json_invalid: "The body is not one strict JSON document.",
  rate_limited: "Too many requests within a minute for one run token.",
  tool_unknown: "The agent version declares no tool of this name.",
  trace_event_type_invalid: "There is no trace event of this type.",
  unsupported_media_type: "The body came with a Content-Encoding.",
  validation_failed: "The trace event is not what the contract says.",
};
