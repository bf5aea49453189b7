import { useMemo } from "react";
import type { FieldError } from "~/api/problem";
import type { AgentDraft } from "~/pages/agents/form/draft";
import { allFaults, isOfOtherConfig, isStillNeeded } from "~/pages/agents/form/faults";

interface PlacedFaults {
  /** How many are shown. */
  count: number;
  /** At fields, tools and the ledger schema. */
  fields: FieldError[];
  /** In the document of other settings. */
  other: FieldError[];
  /** Blank fields that nobody has been to yet, by name. */
  needed: string[];
}

/** Every fault, seen here or by the server, at the place that shows it. `visited` holds the fields somebody has left, blank or not. */
export function useFaults(
  draft: AgentDraft,
  here: FieldError[],
  served: FieldError[],
  visited: ReadonlySet<string>,
): PlacedFaults {
  return useMemo(() => {
    const all = allFaults(draft, here, served);
    const isNeeded = (fault: FieldError) =>
      isStillNeeded(draft, fault) && !visited.has(String(fault.loc.at(-1)));
    const shown = all.filter((fault) => !isNeeded(fault));
    return {
      count: shown.length,
      fields: shown.filter((fault) => !isOfOtherConfig(draft, fault)),
      other: shown.filter((fault) => isOfOtherConfig(draft, fault)),
      needed: all.filter(isNeeded).map(({ loc }) => (loc[0] === "name" ? "name" : "endpoint URL")),
    };
  }, [draft, here, served, visited]);
}
