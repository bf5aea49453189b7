import { notifications } from "@mantine/notifications";
import { type InfiniteData, useMutation, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import type { Schemas } from "~/api/client";
import { asProblem, type Problem } from "~/api/problem";
import { giveVerdict, REVIEWS, type ReviewItem, reviewItemQuery, type Verdict } from "~/api/reviews";

/** What somebody is about to say of an item. */
export interface Draft {
  verdict: Verdict | null;
  notes: string;
  /** Why it was not taken. */
  problem: Problem | null;
  sending: boolean;
}

/** Somebody else decided first, or there is nothing to decide any more. */
const TOO_LATE = new Set(["verdict_given", "superseded"]);

const NOTHING: Draft = { verdict: null, notes: "", problem: null, sending: false };

interface Verdicts {
  draftOf: (itemId: string) => Draft;
  change: (itemId: string, change: Partial<Pick<Draft, "verdict" | "notes">>) => void;
  discard: (itemId: string) => void;
  /** Gives the verdict that was chosen, if one was. */
  give: (item: ReviewItem) => void;
  /** The last that was given here. */
  given: ReviewItem | null;
  unsaved: () => boolean;
}

interface Options {
  chosen: string | undefined;
  onGiven: (item: ReviewItem) => void;
}

/** Drafts of all items that were touched, so that going to another one and back loses nothing. */
export function useVerdicts({ chosen, onGiven }: Options): Verdicts {
  const client = useQueryClient();
  const [drafts, setDrafts] = useState<Record<string, Draft>>({});
  const [given, setGiven] = useState<ReviewItem | null>(null);
  const shown = useRef(chosen);
  useEffect(() => {
    shown.current = chosen;
  }, [chosen]);

  const set = (id: string, next: Partial<Draft>) =>
    setDrafts((before) => ({ ...before, [id]: { ...NOTHING, ...before[id], ...next } }));
  const discard = (id: string) => setDrafts(({ [id]: _, ...others }) => others);

  const mutation = useMutation({
    mutationFn: ({ item, verdict, notes }: { item: ReviewItem; verdict: Verdict; notes: string }) =>
      giveVerdict(item.id, { verdict, notes }),
    onMutate: ({ item }) => set(item.id, { sending: true, problem: null }),
    onSuccess: (item) => {
      discard(item.id);
      setGiven(item);
      onGiven(item);
      showEverywhere(item);
    },
    onError: (error, { item }) => {
      const problem = asProblem(error);
      set(item.id, { sending: false, problem });
      if (TOO_LATE.has(problem.code)) {
        void client.fetchQuery({ ...reviewItemQuery(item.id), staleTime: 0 }).then(showEverywhere);
      }
      if (shown.current !== item.id) {
        notifications.show({ color: "red", message: `${item.scenario_name}: ${problem.detail}` });
      }
    },
  });

  function showEverywhere(item: ReviewItem) {
    client.setQueryData(reviewItemQuery(item.id).queryKey, item);
    client.setQueriesData<InfiniteData<Schemas["ReviewItemsPage"]>>(
      { queryKey: [...REVIEWS, "list"] },
      (list) =>
        list && {
          ...list,
          pages: list.pages.map((page) => ({
            ...page,
            items: page.items.map((each) => (each.id === item.id ? item : each)),
          })),
        },
    );
    void client.invalidateQueries({ queryKey: REVIEWS });
  }

  const draftOf = (itemId: string) => drafts[itemId] ?? NOTHING;
  return {
    draftOf,
    change: (itemId, change) => set(itemId, { ...change, problem: null }),
    discard,
    give: (item) => {
      const { verdict, notes, sending } = draftOf(item.id);
      if (verdict !== null && !sending && item.status === "open") mutation.mutate({ item, verdict, notes });
    },
    given,
    // What somebody else decided first cannot be saved any more.
    unsaved: () =>
      Object.values(drafts).some(
        ({ verdict, notes, problem }) =>
          (verdict !== null || notes.trim() !== "") && !TOO_LATE.has(problem?.code ?? ""),
      ),
  };
}
