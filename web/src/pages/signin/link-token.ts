import { useLocation } from "@tanstack/react-router";
import { useLayoutEffect, useState } from "react";

/**
 * The token of a sign-in link. It stands in the fragment, which reaches no server; it is taken out of the address
 * before anything is painted, so that it is not bookmarked, shared or left in the history.
 */
export function useLinkToken(): [token: string | null, forget: () => void] {
  const [token, setToken] = useState<string | null>(null);
  const fragment = useLocation({ select: (location) => location.hash });

  // biome-ignore lint/correctness/useExhaustiveDependencies: a second link pasted into this tab counts as well
  useLayoutEffect(() => {
    const { hash, pathname, search } = window.location;
    if (hash.length < 2) return;
    setToken(hash.slice(1));
    window.history.replaceState(window.history.state, "", pathname + search);
  }, [fragment]);

  return [token, () => setToken(null)];
}
