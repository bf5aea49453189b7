import { type ComponentType, lazy, Suspense, useSyncExternalStore } from "react";

interface OnDemand {
  /** Shows it, fetching its code the first time. */
  open: () => void;
  /** Fetches its code, for when it will probably be wanted. */
  prepare: () => void;
  Place: ComponentType;
}

/** A dialog whose code is not part of the first load. */
export function onDemand(load: () => Promise<{ default: ComponentType<{ opening: number }> }>): OnDemand {
  const Dialog = lazy(load);
  const watchers = new Set<() => void>();
  let opening = 0;

  function watch(watcher: () => void) {
    watchers.add(watcher);
    return () => watchers.delete(watcher);
  }

  return {
    open() {
      opening += 1;
      for (const watcher of watchers) watcher();
    },
    prepare: () => void load().catch(() => undefined),
    Place() {
      const current = useSyncExternalStore(watch, () => opening);
      return current === 0 ? null : (
        <Suspense fallback={null}>
          <Dialog opening={current} />
        </Suspense>
      );
    },
  };
}
