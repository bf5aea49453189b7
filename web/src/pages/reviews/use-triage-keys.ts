import { useEffect, useEffectEvent } from "react";

interface Keys {
  next: () => void;
  previous: () => void;
  /** By its number, from 0. */
  choose: (number: number) => void;
  confirm: () => void;
  /** To the notes. */
  note: () => void;
  clear: () => void;
}

const SEQUENCE_MS = 1200;
const FIELDS =
  "textarea, select, input:not([type=radio], [type=checkbox]), [role=dialog], [role=menu], [role=listbox]";

/** The keys of the queue, outside of fields and dialogs. A key after `g` names a place and is none of ours. */
export function useTriageKeys(keys: Keys): void {
  const heedNow = useEffectEvent((event: KeyboardEvent) => heed(event, keys));
  useEffect(() => {
    let placeUntil = 0;
    // Ahead of the shell, where `n` alone asks for a new run.
    function listen(event: KeyboardEvent) {
      if (event.ctrlKey || event.metaKey || event.altKey || isTaken(event.target)) return;
      const names_place = Date.now() < placeUntil;
      placeUntil = event.key === "g" && !names_place ? Date.now() + SEQUENCE_MS : 0;
      if (names_place || !heedNow(event)) return;
      event.preventDefault();
      event.stopPropagation();
    }
    window.addEventListener("keydown", listen, { capture: true });
    return () => window.removeEventListener("keydown", listen, { capture: true });
  }, []);
}

/** Whether the key is one of ours. */
function heed(event: KeyboardEvent, keys: Keys): boolean {
  const { key, target, repeat } = event;
  if (key === "j") keys.next();
  else if (key === "k") keys.previous();
  else if (key === "n") return true;
  else if (key === "Enter") return repeat || (!acts(target) && act(keys.confirm));
  else if (repeat) return false;
  else if (/^[1-5]$/.test(key)) keys.choose(Number(key) - 1);
  else if (key === "v") keys.confirm();
  else if (key === "m") keys.note();
  else {
    if (key === "Escape") keys.clear();
    return false;
  }
  return true;
}

function act(what: () => void): true {
  what();
  return true;
}

/** Whether Enter does something there already; on the row of the item that is shown it does not. */
function acts(target: EventTarget | null): boolean {
  const control = target instanceof Element ? target.closest("a, button, summary, input") : null;
  return control !== null && !control.hasAttribute("data-chosen");
}

function isTaken(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || target.closest(FIELDS) !== null);
}
