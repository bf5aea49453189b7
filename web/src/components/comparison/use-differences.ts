import { type RefObject, useCallback, useEffect, useEffectEvent, useState } from "react";

interface Differences {
  count: number;
  /** Which two runs are shown: others begin anew. */
  of: string;
  bringUp: boolean;
}

interface Walk {
  /** The difference that was walked to; null before. */
  at: number | null;
  next: () => void;
  previous: () => void;
}

/** Brings the first difference into view, and others when they are asked for: by `n`, by `p`, or by a button. */
export function useDifferences(
  frame: RefObject<HTMLElement | null>,
  { count, of, bringUp }: Differences,
): Walk {
  const [walked, setWalked] = useState<{ of: string; at: number } | null>(null);
  const at = walked?.of === of && walked.at < count ? walked.at : null;

  // biome-ignore lint/correctness/useExhaustiveDependencies: other runs are other differences
  useEffect(() => {
    const first = count > 0 ? elementOf(frame.current, 0) : null;
    if (first === null || frame.current === null) return;
    if (bringUp) first.scrollIntoView({ block: "center" });
    else bringInto(frame.current, first);
  }, [frame, of, count, bringUp]);

  const go = useCallback(
    (step: 1 | -1) => {
      if (count === 0) return;
      const seen = isInSight(elementOf(frame.current, 0)) ? 0 : -1;
      let to = at ?? (step === 1 ? seen : 0);
      // What is folded away has no element, and is passed over.
      for (let tried = 0; tried < count; tried += 1) {
        to = (to + step + count) % count;
        const element = elementOf(frame.current, to);
        if (element === null) continue;
        setWalked({ of, at: to });
        element.scrollIntoView({ block: "center" });
        element.focus({ preventScroll: true });
        return;
      }
    },
    [frame, of, count, at],
  );

  const walk = useEffectEvent(go);
  useEffect(() => {
    // Ahead of the shell, where `n` alone asks for a new run.
    function listen(event: KeyboardEvent) {
      if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
      if ((event.key !== "n" && event.key !== "p") || isTaken(event.target)) return;
      event.preventDefault();
      event.stopPropagation();
      walk(event.key === "n" ? 1 : -1);
    }
    window.addEventListener("keydown", listen, { capture: true });
    return () => window.removeEventListener("keydown", listen, { capture: true });
  }, []);

  return { at, next: () => go(1), previous: () => go(-1) };
}

function elementOf(frame: HTMLElement | null, number: number): HTMLElement | null {
  return frame?.querySelector<HTMLElement>(`[data-difference="${number}"]`) ?? null;
}

function isInSight(element: HTMLElement | null): boolean {
  if (element === null) return false;
  const { top, bottom } = element.getBoundingClientRect();
  return top >= 0 && bottom <= window.innerHeight;
}

/** Scrolls the frame and nothing around it; a little of what stands above stays in sight. */
function bringInto(frame: HTMLElement, element: HTMLElement) {
  const above = element.getBoundingClientRect().top - frame.getBoundingClientRect().top;
  const below = above + element.offsetHeight - frame.clientHeight;
  if (below > 0) frame.scrollTop += above - frame.clientHeight / 3;
}

function isTaken(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return (
    target.isContentEditable ||
    target.closest("input, textarea, select, [role=dialog], [role=menu], [role=listbox]") !== null
  );
}
