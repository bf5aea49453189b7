import { Tooltip } from "@mantine/core";
import { useEffect, useState, useSyncExternalStore } from "react";

const UNITS: [Intl.RelativeTimeFormatUnit, number][] = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
  ["second", 1_000],
];
const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto", style: "short" });
const absolute = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "medium" });

let now = Date.now();
const watchers = new Set<() => void>();
setInterval(() => {
  now = Date.now();
  for (const watcher of watchers) watcher();
}, 10_000);

function useNow(): number {
  return useSyncExternalStore(
    (watcher) => {
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
    () => now,
  );
}

/** "3 min. ago", with the exact moment on hover. */
export function Ago({ at }: { at: string }) {
  const moment = Date.parse(at);
  const difference = moment - Math.max(useNow(), moment);
  const [unit, size] = UNITS.find(([, length]) => Math.abs(difference) >= length) ?? ["second", 1_000];
  return (
    <Tooltip label={absolute.format(moment)}>
      <time dateTime={at}>{relative.format(Math.round(difference / size), unit)}</time>
    </Tooltip>
  );
}

/** A moment as date and time, in the reader's own zone. */
export function Moment({ at }: { at: string }) {
  return <time dateTime={at}>{absolute.format(Date.parse(at))}</time>;
}

/** 840 ms, 12.4 s, 3 min 5 s. */
export function duration(milliseconds: number): string {
  if (milliseconds < 1_000) return `${Math.round(milliseconds)} ms`;
  if (milliseconds < 60_000) return `${(milliseconds / 1_000).toFixed(1)} s`;
  return `${Math.floor(milliseconds / 60_000)} min ${Math.round((milliseconds % 60_000) / 1_000)} s`;
}

/** How long something took, or has been taking: then it counts on. */
export function Elapsed({ from, to }: { from: string; to: string | null }) {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (to !== null) return;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, [to]);
  if (to !== null) return duration(Date.parse(to) - Date.parse(from));
  const seconds = Math.max(0, Math.floor((now - Date.parse(from)) / 1_000));
  return seconds < 60 ? `${seconds} s` : duration(seconds * 1_000);
}
