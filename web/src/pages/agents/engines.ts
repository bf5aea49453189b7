/** Who answers simulated calls, in words. */
export const ENGINE_WORDS: Record<string, string> = {
  auto: "auto: its program if it has one, else the world where it is sure enough, else the simulator model if one is set, else the world",
  program: "program: only its program",
  world: "world: only the world, from names, schemas and entities",
  llm: "llm: the simulator model of the settings",
};

/** What a call gets that no engine understands, in words. */
export const UNKNOWN_TOOLS_WORDS: Record<string, string> = {
  error: "error: an error that says so, and what would help",
  empty: "empty: the smallest answer that the output schema allows",
};
