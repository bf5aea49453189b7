import { type RefObject, useEffect, useRef } from "react";

const NARROW = "(max-width: 62em)";

/** Brings a pane that opens above or below what is read into view; on wide screens it stands beside it. */
export function useShown<Pane extends HTMLElement>(): RefObject<Pane | null> {
  const pane = useRef<Pane>(null);
  useEffect(() => {
    if (window.matchMedia(NARROW).matches) pane.current?.scrollIntoView({ block: "start" });
  }, []);
  return pane;
}
