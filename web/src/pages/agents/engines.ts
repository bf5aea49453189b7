/** Who answers simulated calls, in words. */
export const ENGINE_WORDS: Record<string, string> = {
  auto: "auto: its program if it has one, else the world when it is sure, else the simulator model if one is set, else the world, marked unsure",
  program: "program: only its program",
  world: "world: only the world, from names, schemas and entities",
  llm: "llm: the simulator model of the settings",
};
