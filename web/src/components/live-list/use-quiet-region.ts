import { useFocusWithin, useHover, useMergedRef } from "@mantine/hooks";
import { type Ref, useEffect, useState } from "react";

const TOP_PX = 16;

interface QuietRegion {
  /** The element around the rows. */
  region: Ref<HTMLDivElement>;
  /** The reader sees the top of the page and touches no row. */
  quiet: boolean;
}

/** Whether rows may move without a reader losing the one they look at. */
export function useQuietRegion(): QuietRegion {
  const hover = useHover<HTMLDivElement>();
  const focus = useFocusWithin<HTMLDivElement>();
  const region = useMergedRef(hover.ref, focus.ref);
  const atTop = useAtTop();
  return { region, quiet: atTop && !hover.hovered && !focus.focused };
}

/** Whether the page is scrolled to its beginning. */
function useAtTop(): boolean {
  const [atTop, setAtTop] = useState(() => window.scrollY < TOP_PX);
  useEffect(() => {
    const look = () => setAtTop(window.scrollY < TOP_PX);
    window.addEventListener("scroll", look, { passive: true });
    return () => window.removeEventListener("scroll", look);
  }, []);
  return atTop;
}
