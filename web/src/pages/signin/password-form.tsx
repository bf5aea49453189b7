import { Button, PasswordInput, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { asProblem, messageAt } from "~/api/problem";
import { Refusal } from "~/components/refusal";
import classes from "~/pages/signin/signin.module.css";
import { useSignIn } from "~/pages/signin/use-sign-in";

export function PasswordForm() {
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const signIn = useSignIn();
  const problem = signIn.error === null ? null : asProblem(signIn.error);
  const faults = problem?.errors ?? [];
  const wrong = problem?.status === 401;

  function submit(event: FormEvent) {
    event.preventDefault();
    signIn.mutate({ email: email.trim(), password });
  }

  return (
    <form className={classes.form} onSubmit={submit}>
      <TextInput
        label="E-mail"
        type="email"
        name="email"
        autoComplete="username"
        required
        withAsterisk={false}
        autoFocus
        value={email}
        onChange={(event) => setEmail(event.currentTarget.value)}
        error={messageAt(faults, "email") ?? wrong}
      />
      <PasswordInput
        label="Password"
        name="password"
        autoComplete="current-password"
        required
        withAsterisk={false}
        value={password}
        onChange={(event) => setPassword(event.currentTarget.value)}
        error={messageAt(faults, "password") ?? (wrong && problem.detail)}
      />
      {!wrong && faults.length === 0 && <Refusal error={signIn.error} />}
      <Button type="submit" size="sm" loading={signIn.isPending}>
        Sign in
      </Button>
    </form>
  );
}
