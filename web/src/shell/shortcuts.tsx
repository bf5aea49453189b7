import { useNavigate } from "@tanstack/react-router";
import { useEffect } from "react";
import { onDemand } from "~/shell/on-demand";
import { openPalette } from "~/shell/palette";
import { PLACES } from "~/shell/places";

const SEQUENCE_MS = 1200;

export const { open: openShortcutHelp, Place: ShortcutHelp } = onDemand(
  () => import("~/shell/shortcut-list"),
);

/** Listens for keys; single letters only outside of fields and dialogs. */
export function useShortcuts(): void {
  const navigate = useNavigate();
  useEffect(() => {
    let waitingUntil = 0;
    function listen(event: KeyboardEvent) {
      if (isPaletteKey(event)) {
        event.preventDefault();
        openPalette();
        return;
      }
      if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || isTakenBy(event.target)) return;
      const place = Date.now() < waitingUntil ? PLACES.find(({ key }) => key === event.key) : undefined;
      waitingUntil = 0;
      if (place) void navigate({ to: place.to });
      else if (event.key === "g") waitingUntil = Date.now() + SEQUENCE_MS;
      else if (event.key === "?") openShortcutHelp();
      else if (event.key === "n") void navigate({ to: "/runs/new" });
      else if (event.key === "/") focusFilter(event);
    }
    window.addEventListener("keydown", listen);
    return () => window.removeEventListener("keydown", listen);
  }, [navigate]);
}

function isPaletteKey(event: KeyboardEvent): boolean {
  return (
    event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey
  );
}

function isTakenBy(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return (
    target.isContentEditable || target.closest("input, textarea, select, [role=dialog], [role=menu]") !== null
  );
}

function focusFilter(event: KeyboardEvent) {
  const field = document.querySelector<HTMLElement>("[data-filter]");
  if (field === null) return;
  event.preventDefault();
  field.focus();
}
