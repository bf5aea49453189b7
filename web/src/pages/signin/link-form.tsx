import { Button, Text } from "@mantine/core";
import { asProblem } from "~/api/problem";
import { Refusal } from "~/components/refusal";
import classes from "~/pages/signin/signin.module.css";
import { useSignIn } from "~/pages/signin/use-sign-in";

interface LinkFormProps {
  token: string;
  /** The link was used before, is too old, or never was one. */
  onRefused: () => void;
}

/** The link is used on a click and not on opening it: programs that fetch links for a preview must not spend it. */
export function LinkForm({ token, onRefused }: LinkFormProps) {
  const signIn = useSignIn();

  function use() {
    signIn.mutate({ link: token }, { onError: (error) => asProblem(error).status === 401 && onRefused() });
  }

  return (
    <div className={classes.form}>
      <Text size="sm" c="var(--ody-text-dim)">
        Your sign-in link is ready. It works once.
      </Text>
      <Refusal error={signIn.error} />
      <Button size="sm" autoFocus loading={signIn.isPending} onClick={use}>
        Sign in to Odyssey
      </Button>
    </div>
  );
}
