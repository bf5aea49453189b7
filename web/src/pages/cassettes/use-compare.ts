import { useMutation } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { type Compared, compareWithLive, PORTION } from "~/api/cassettes";

export interface Comparison {
  compare: (numbers: number[], includeChanging: boolean) => void;
  stop: () => void;
  going: boolean;
  /** How many are to be compared. */
  of: number;
  found: Compared[];
  error: Error | null;
}

/** Compares calls with the live tools in portions, so that there is something to see meanwhile. */
export function useCompare(cassetteId: string): Comparison {
  const [found, setFound] = useState<Compared[]>([]);
  const [of, setOf] = useState(0);
  const stopped = useRef(false);
  const comparing = useMutation({
    mutationFn: async ({ numbers, includeChanging }: { numbers: number[]; includeChanging: boolean }) => {
      stopped.current = false;
      setFound([]);
      setOf(numbers.length);
      for (let from = 0; from < numbers.length && !stopped.current; from += PORTION) {
        const part = numbers.slice(from, from + PORTION);
        const report = await compareWithLive(cassetteId, part, includeChanging);
        setFound((before) => [...before, ...report.interactions]);
      }
    },
  });
  return {
    compare: (numbers, includeChanging) => comparing.mutate({ numbers, includeChanging }),
    stop: () => {
      stopped.current = true;
    },
    going: comparing.isPending,
    of,
    found,
    error: comparing.error,
  };
}
