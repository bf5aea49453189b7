import { Button, NativeSelect, TextInput } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { api, data } from "~/api/client";
import { asProblem, messageAt } from "~/api/problem";
import { Refusal } from "~/components/refusal";
import classes from "~/pages/account/account.module.css";
import { type Person, peopleQuery, ROLES } from "~/pages/account/queries";

export function AddPerson() {
  const [email, setEmail] = useState("");
  const [role, setRole] = useState<Person["role"]>("member");
  const queryClient = useQueryClient();
  const add = useMutation({
    mutationFn: () => data(api.POST("/api/people", { body: { email: email.trim(), role } })),
    onSuccess: (person) => {
      setEmail("");
      void queryClient.invalidateQueries({ queryKey: peopleQuery.queryKey });
      notifications.show({
        title: `${person.email} was added`,
        message: `Let them in with: odyssey signin-link --email ${person.email}`,
        autoClose: 15_000,
      });
    },
  });
  const problem = add.error === null ? null : asProblem(add.error);
  const faults = problem?.errors ?? [];
  const taken = problem?.status === 409 ? problem.detail : null;

  function submit(event: FormEvent) {
    event.preventDefault();
    add.mutate();
  }

  return (
    <form onSubmit={submit}>
      <p className={classes.note}>They sign in by a link, or by a password that you set.</p>
      <div className={classes.line}>
        <TextInput
          label="E-mail"
          type="email"
          required
          withAsterisk={false}
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
          error={messageAt(faults, "email") ?? taken}
        />
        <NativeSelect
          label="Role"
          data={ROLES}
          value={role}
          onChange={(event) => setRole(event.currentTarget.value as Person["role"])}
        />
        <Button type="submit" size="sm" loading={add.isPending}>
          Add
        </Button>
      </div>
      {faults.length === 0 && taken === null && <Refusal error={add.error} />}
    </form>
  );
}
