import { Alert, Title } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useRouter } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { sessionQuery } from "~/api/queries";
import { CommandLine } from "~/components/command-line";
import { PageLoading } from "~/components/states";
import { LinkForm } from "~/pages/signin/link-form";
import { useLinkToken } from "~/pages/signin/link-token";
import { nextPath } from "~/pages/signin/next-path";
import { PasswordForm } from "~/pages/signin/password-form";
import classes from "~/pages/signin/signin.module.css";
import { Wordmark } from "~/shell/wordmark";

const route = getRouteApi("/signin");

export function SigninPage() {
  useDocumentTitle("Sign in · Odyssey");
  const [token, forgetToken] = useLinkToken();
  const [linkRefused, setLinkRefused] = useState(false);
  const waiting = useSendOn();
  return (
    <main className={classes.page}>
      <div className={classes.column}>
        <Wordmark />
        <section className={classes.card} aria-busy={waiting}>
          {waiting ? (
            <PageLoading />
          ) : (
            <>
              <Title order={1} size="h4">
                Sign in
              </Title>
              {token === null && linkRefused && (
                <Alert role="alert" color="red" py="xs" mt="sm" title="This sign-in link no longer works">
                  A link works once, within 15 minutes. Make another, or use your password.
                </Alert>
              )}
              {token === null ? (
                <PasswordForm />
              ) : (
                <LinkForm
                  token={token}
                  onRefused={() => {
                    forgetToken();
                    setLinkRefused(true);
                  }}
                />
              )}
            </>
          )}
        </section>
        {!waiting && token === null && <HowToGetALink />}
      </div>
    </main>
  );
}

/** Whoever is signed in already goes on; true until that is known. */
function useSendOn(): boolean {
  const router = useRouter();
  const { next } = route.useSearch();
  const { data: session, isPending } = useQuery({ ...sessionQuery, retryOnMount: false });
  const signedIn = session !== undefined;
  useEffect(() => {
    if (signedIn) router.history.replace(nextPath(next, window.location.origin));
  }, [signedIn, next, router]);
  return isPending || signedIn;
}

function HowToGetALink() {
  return (
    <section className={classes.hint}>
      <h2>No password? Use a sign-in link</h2>
      <p>
        <code>odyssey up</code> prints one at every start. On the server, this makes another; it works once,
        within 15 minutes:
      </p>
      <CommandLine command="odyssey signin-link" />
    </section>
  );
}
