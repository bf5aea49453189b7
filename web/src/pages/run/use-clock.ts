import { useEffect, useState } from "react";

/** The time now, moving on while `running`; null otherwise. */
export function useClock(running: boolean, everyMs = 1_000): number | null {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (!running) return;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [running, everyMs]);
  return running ? now : null;
}
