import { useMutation, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, useRouter } from "@tanstack/react-router";
import { api, data, type Schemas } from "~/api/client";
import { type Session, sessionQuery } from "~/api/queries";
import { rememberCsrf } from "~/api/session";
import { nextPath } from "~/pages/signin/next-path";

const route = getRouteApi("/signin");

/** Begins a session and goes where the person wanted to go. */
export function useSignIn() {
  const queryClient = useQueryClient();
  const router = useRouter();
  const { next } = route.useSearch();
  return useMutation<Session, Error, Schemas["SessionIn"]>({
    mutationFn: (body) => data(api.POST("/api/auth/session", { body })),
    onSuccess: (session) => {
      queryClient.clear(); // whatever another person saw in this tab
      rememberCsrf(session.csrf_token);
      queryClient.setQueryData(sessionQuery.queryKey, session);
      router.history.replace(nextPath(next, window.location.origin));
    },
  });
}
