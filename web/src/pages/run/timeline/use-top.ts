import { type RefObject, useLayoutEffect, useRef, useState } from "react";

/**
 * How far below the top of the page an element begins, so that it can take what is left of the window. What
 * comes above it while a reader's hand is on it scrolls away instead of pushing it down.
 */
export function useTop(element: RefObject<HTMLElement | null>): number {
  const [top, setTop] = useState(0);
  const last = useRef<number | null>(null);
  useLayoutEffect(() => {
    const measure = () => {
      if (element.current === null) return;
      const now = Math.round(element.current.getBoundingClientRect().top + window.scrollY);
      const moved = now - (last.current ?? now);
      last.current = now;
      if (moved !== 0 && isInUse(element.current)) window.scrollBy({ top: moved, behavior: "instant" });
      else setTop(now);
    };
    measure();
    const watcher = new ResizeObserver(measure);
    watcher.observe(document.body);
    return () => watcher.disconnect();
  }, [element]);
  return top;
}

function isInUse(element: HTMLElement): boolean {
  return element.matches(":hover") || element.contains(document.activeElement);
}
