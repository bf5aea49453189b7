import { useMemo, useState } from "react";

/** As many as one export takes by their ids. */
const MOST_SELECTED = 200;

export interface Selection {
  ids: string[];
  full: boolean;
  has: (id: string) => boolean;
  toggle: (id: string) => void;
  add: (ids: string[]) => void;
  clear: () => void;
}

/** Chosen scenarios; they stay chosen when another page is shown. */
export function useSelection(): Selection {
  const [ids, setIds] = useState<string[]>([]);
  return useMemo(() => {
    const keep = (next: string[]) => setIds([...new Set(next)].slice(0, MOST_SELECTED));
    return {
      ids,
      full: ids.length === MOST_SELECTED,
      has: (id) => ids.includes(id),
      toggle: (id) => keep(ids.includes(id) ? ids.filter((each) => each !== id) : [...ids, id]),
      add: (more) => keep([...ids, ...more]),
      clear: () => setIds([]),
    };
  }, [ids]);
}
