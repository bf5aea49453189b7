import { Button, PasswordInput, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { api } from "~/api/client";
import { asProblem, messageAt } from "~/api/problem";
import { Refusal } from "~/components/refusal";
import classes from "~/pages/account/account.module.css";
import { peopleQuery, SHORTEST_PASSWORD } from "~/pages/account/queries";

interface OwnPasswordProps {
  email: string;
  /** Unknown to whoever may not list people. */
  hasPassword: boolean | undefined;
}

export function OwnPassword({ email, hasPassword }: OwnPasswordProps) {
  const [current, setCurrent] = useState("");
  const [password, setPassword] = useState("");
  const queryClient = useQueryClient();
  const change = useMutation({
    mutationFn: () =>
      api.POST("/api/auth/password", {
        body: current === "" ? { password } : { password, current_password: current },
      }),
    onSuccess: () => {
      setCurrent("");
      setPassword("");
      void queryClient.invalidateQueries({ queryKey: peopleQuery.queryKey });
      notifications.show({
        title: "Password set",
        message: "Your other sessions and sign-in links have ended.",
      });
    },
  });
  const faults = change.error === null ? [] : asProblem(change.error).errors;

  function submit(event: FormEvent) {
    event.preventDefault();
    change.mutate();
  }

  return (
    <form className={classes.form} onSubmit={submit}>
      <Text size="sm" c="var(--ody-text-dim)">
        {hasPassword === true
          ? "Your other sessions and sign-in links will end; API keys stay."
          : "Optional: sign-in links work without one. With a password you need no terminal to sign in."}
      </Text>
      <input type="text" name="username" autoComplete="username" value={email} readOnly hidden />
      {hasPassword !== false && (
        <PasswordInput
          label="Current password"
          description={hasPassword === undefined ? "Leave it empty if you have none yet." : undefined}
          name="current_password"
          autoComplete="current-password"
          required={hasPassword === true}
          withAsterisk={false}
          value={current}
          onChange={(event) => setCurrent(event.currentTarget.value)}
          error={messageAt(faults, "current_password")}
        />
      )}
      <PasswordInput
        label="New password"
        description={`At least ${SHORTEST_PASSWORD} characters.`}
        name="new_password"
        autoComplete="new-password"
        required
        withAsterisk={false}
        minLength={SHORTEST_PASSWORD}
        value={password}
        onChange={(event) => setPassword(event.currentTarget.value)}
        error={messageAt(faults, "password")}
      />
      {faults.length === 0 && <Refusal error={change.error} />}
      <Button type="submit" loading={change.isPending}>
        {hasPassword === true ? "Change password" : "Set password"}
      </Button>
    </form>
  );
}
