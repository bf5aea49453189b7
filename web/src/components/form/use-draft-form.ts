import { useMutation } from "@tanstack/react-query";
import { useCallback, useMemo, useState } from "react";
import { asProblem, type FieldError, type Problem } from "~/api/problem";

const NONE: FieldError[] = [];
const noFaults = () => NONE;
const settlesAll = () => true;

interface DraftFormOptions<Draft, Answer, Way> {
  /** What stands in the fields at first. */
  beginning: Draft | (() => Draft);
  /** `way` is what the pressed button stands for, where there are several. */
  save: (draft: Draft, way: Way) => Promise<Answer>;
  onSaved: (answer: Answer) => unknown;
  /** What can be seen to be wrong without the server. A function that stays the same. */
  check?: (draft: Draft) => FieldError[];
  /** Nothing was saved, and faults are about to be shown. */
  onFaults?: () => void;
  /** Whether a change of these members settles a fault of the server; without it, every change settles all. */
  settles?: (part: Partial<Draft>, fault: FieldError) => boolean;
  /** Equal for drafts in which the same is written. */
  fingerprint?: (draft: Draft) => string;
}

interface DraftForm<Draft, Way> {
  draft: Draft;
  /** The draft the form began with. */
  first: Draft;
  change: (part: Partial<Draft>) => void;
  /** The same from the draft as it stands by then; it settles all faults of the server. */
  update: (step: (before: Draft) => Partial<Draft>) => void;
  /** What `check` finds in the draft. */
  faults: FieldError[];
  /** Somebody has tried to save it. */
  tried: boolean;
  submit: (way: Way) => void;
  saving: boolean;
  /** The way it is being saved. */
  way: Way | undefined;
  saved: boolean;
  /** Why the server refused the draft as it stands. */
  problem: Problem | null;
  /** What the server found at places that have not been changed since. */
  refused: FieldError[];
  /** Something is written that is not saved. */
  changed: () => boolean;
  /** Something would be lost: not what is on its way to the server. */
  unsaved: () => boolean;
}

/** What somebody writes until the server has taken it. */
export function useDraftForm<Draft extends object, Answer, Way = void>(
  options: DraftFormOptions<Draft, Answer, Way>,
): DraftForm<Draft, Way> {
  const { check = noFaults, settles = settlesAll, fingerprint = JSON.stringify } = options;
  const [first] = useState(options.beginning);
  const [draft, setDraft] = useState(first);
  const [tried, setTried] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [refused, setRefused] = useState(NONE);
  const faults = useMemo(() => check(draft), [check, draft]);
  const saving = useMutation({
    mutationFn: (way: Way) => options.save(draft, way),
    onMutate: () => setProblem(null),
    onSuccess: (answer) => options.onSaved(answer),
    onError: (error) => {
      setProblem(asProblem(error));
      setRefused(asProblem(error).errors);
      options.onFaults?.();
    },
  });

  const update = useCallback((step: (before: Draft) => Partial<Draft>) => {
    setProblem(null);
    setRefused(NONE);
    setDraft((before) => ({ ...before, ...step(before) }));
  }, []);
  const change = useCallback(
    (part: Partial<Draft>) => {
      setProblem(null);
      setRefused((before) => before.filter((fault) => !settles(part, fault)));
      setDraft((before) => ({ ...before, ...part }));
    },
    [settles],
  );

  function submit(way: Way) {
    setTried(true);
    if (faults.length > 0) options.onFaults?.();
    else saving.mutate(way);
  }

  const changed = () => !saving.isSuccess && fingerprint(draft) !== fingerprint(first);
  return {
    draft,
    first,
    change,
    update,
    faults,
    tried,
    submit,
    saving: saving.isPending,
    way: saving.variables,
    saved: saving.isSuccess,
    problem,
    refused,
    changed,
    unsaved: () => !saving.isPending && changed(),
  };
}
