import { useEffect, useEffectEvent } from "react";

interface Walk {
  /** Sequences that can be walked, in order. */
  steps: number[];
  /** Those of them that changed the ledger. */
  changes: number[];
  selected: number | undefined;
  select: (sequence: number) => void;
  toggle: () => void;
  leave: () => void;
}

/** Keys of the timeline, wherever the focus is, unless it is where keys mean something else. */
export function useWalk(walk: Walk) {
  const actNow = useEffectEvent((key: string) => act(walk, key));

  useEffect(() => {
    function listen(event: KeyboardEvent) {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
      if (!(event.target instanceof Element) || isBusy(event.target, event.key)) return;
      if (actNow(event.key)) event.preventDefault();
    }
    window.addEventListener("keydown", listen);
    return () => window.removeEventListener("keydown", listen);
  }, []);
}

const FIELDS = "input, textarea, select, [contenteditable=true], [role=dialog]";
const CONTROLS = "button, a, [role=tab], [role=separator], [data-scrolls]";
const NEEDED_BY_CONTROLS = new Set(["ArrowUp", "ArrowDown", "Home", "End", "Enter"]);

function isBusy(target: Element, key: string): boolean {
  return (
    target.closest(FIELDS) !== null || (NEEDED_BY_CONTROLS.has(key) && target.closest(CONTROLS) !== null)
  );
}

function act({ steps, changes, selected, select, toggle, leave }: Walk, key: string): boolean {
  const to = (sequence: number | undefined) => {
    if (sequence !== undefined) select(sequence);
    return true;
  };
  switch (key) {
    case "ArrowDown":
    case "j":
      return to(after(steps, selected));
    case "ArrowUp":
    case "k":
      return to(before(steps, selected));
    case "]":
      return to(after(changes, selected));
    case "[":
      return to(before(changes, selected));
    case "Home":
      return to(steps[0]);
    case "End":
      return to(steps.at(-1));
    case "Enter":
      toggle();
      return true;
    case "Escape":
      leave();
      return true;
    default:
      return false;
  }
}

function after(sequences: number[], selected = -1): number | undefined {
  return sequences.find((sequence) => sequence > selected);
}

function before(sequences: number[], selected = Number.POSITIVE_INFINITY): number | undefined {
  return sequences.findLast((sequence) => sequence < selected);
}
