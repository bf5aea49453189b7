import { useEffect, useState } from "react";

const TOP_PX = 16;

/** Whether the page is scrolled to its beginning. */
export function useAtTop(): boolean {
  const [atTop, setAtTop] = useState(() => window.scrollY < TOP_PX);
  useEffect(() => {
    const look = () => setAtTop(window.scrollY < TOP_PX);
    window.addEventListener("scroll", look, { passive: true });
    return () => window.removeEventListener("scroll", look);
  }, []);
  return atTop;
}
