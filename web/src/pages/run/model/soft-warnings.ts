/** A soft warning is a stable code, mostly followed by a colon and what was found. */
const SENTENCES: Record<string, string> = {
  behavior_not_understood:
    "A line of the behaviour is not understood: it is left to the simulator model, and has no effect without one.",
  final_response_truncated: "The final response was too long and is cut before grading.",
  messages_missing: "The reply has no messages, so there is no transcript beside the final response.",
  messages_malformed: "The reply's messages are not what the contract says, so there is no transcript.",
  reply_invalid_text: "The reply has pieces that are no Unicode text; each is shown as �.",
  metadata_malformed: "The reply's metadata is not what the contract says and was left out.",
};

export interface SoftWarning {
  code: string;
  sentence: string;
  /** What exactly was found, where the server says more than the sentence. */
  found: string | null;
}

export function readWarning(warning: string): SoftWarning {
  const [, code = warning, rest = ""] = /^([a-z_]+)(?::\s*(.*))?$/s.exec(warning) ?? [];
  const known = SENTENCES[code];
  if (!known) return { code, sentence: rest || warning, found: null };
  return { code, sentence: known, found: code === "messages_missing" || rest === "" ? null : rest };
}
