/** Behaviours, how the tools of a world act line by line: what pages ask the server for about them. */
import { queryOptions } from "@tanstack/react-query";
import { api, data, type Schemas } from "~/api/client";

/** One line as the server reads it: it has a rule, or a problem. */
export type BehaviourLine = Schemas["BehaviorLineOut"];
export type BehavioursRead = Schemas["BehaviorsOut"];
/** A line of a stored world that is not understood, as far as can be told without an agent. */
export type BehaviourProblem = Schemas["BehaviorProblemOut"];
/** What lines are about, as far as it is known. */
export type BehavioursAbout = Pick<Schemas["BehaviorsIn"], "agent_id" | "world_id">;

/** A reading, and the text it is of. */
export const behavioursQuery = (text: string, about: BehavioursAbout) =>
  queryOptions({
    queryKey: ["behaviors", "read", text, about],
    queryFn: async ({ signal }) => {
      const body = { behavior_instructions: text, ...about };
      return { of: text, ...(await data(api.POST("/api/behaviors/read", { body, signal }))) };
    },
    retry: false,
    gcTime: 30_000,
  });
