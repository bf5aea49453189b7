import { useQueryClient } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { useEffect } from "react";
import { sessionQuery } from "~/api/queries";
import { onSessionLost } from "~/api/session";

/** Goes to the sign-in page on the first 401, and comes back from there to where it was. */
export function useLeaveWithoutSession(): void {
  const router = useRouter();
  const queryClient = useQueryClient();
  useEffect(() => {
    let leaving = false;
    return onSessionLost(() => {
      if (leaving) return;
      leaving = true;
      const next = router.state.location.href;
      queryClient.removeQueries({ queryKey: sessionQuery.queryKey });
      void router.navigate({ to: "/signin", search: next === "/" ? {} : { next } });
    });
  }, [router, queryClient]);
}
