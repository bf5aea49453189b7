import { useEffect, useMemo, useState } from "react";
import { BLANK, type NewRun, restored, stored } from "~/pages/runs/new-run";

interface Draft {
  run: NewRun;
  change: (part: Partial<NewRun>) => void;
  /** Begin again from what the page started with. */
  reset: () => void;
  /** It was sent: nothing is left to keep. */
  forget: () => void;
  /** Something was written that is not sent yet. */
  touched: boolean;
}

/** The request being written, kept over a reload of the tab. */
export function useNewRun(key: string, start: NewRun): Draft {
  const [run, setRun] = useState(() => restored(sessionStorage.getItem(key)) ?? start);
  const [sent, setSent] = useState(false);
  const text = useMemo(() => stored(run), [run]);
  const untouched = useMemo(() => [stored(start), stored(BLANK)], [start]);
  const touched = !untouched.includes(text);

  useEffect(() => {
    if (sent || !touched) sessionStorage.removeItem(key);
    else keep(key, text);
  }, [key, text, touched, sent]);

  return {
    run,
    change: (part) => setRun((before) => ({ ...before, ...part })),
    reset: () => setRun(start),
    forget: () => setSent(true),
    touched,
  };
}

/** A world may be larger than a browser keeps; then an older state of it is worse than none. */
function keep(key: string, text: string) {
  try {
    sessionStorage.setItem(key, text);
  } catch {
    sessionStorage.removeItem(key);
  }
}
