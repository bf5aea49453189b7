import { Button, TextInput } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { api, data } from "~/api/client";
import { asProblem, messageAt } from "~/api/problem";
import { sessionQuery } from "~/api/queries";
import { Refusal } from "~/components/refusal";
import classes from "~/pages/account/account.module.css";

export function OrganisationName({ current }: { current: string }) {
  const [name, setName] = useState(current);
  const queryClient = useQueryClient();
  const rename = useMutation({
    mutationFn: () => data(api.PUT("/api/org", { body: { name } })),
    onSuccess: (org) => {
      queryClient.setQueryData(
        sessionQuery.queryKey,
        (session) => session && { ...session, org: { id: org.id, name: org.name } },
      );
      notifications.show({ message: "The organisation has its new name." });
    },
  });
  const faults = rename.error === null ? [] : asProblem(rename.error).errors;

  function submit(event: FormEvent) {
    event.preventDefault();
    rename.mutate();
  }

  return (
    <form className={classes.form} onSubmit={submit}>
      <TextInput
        label="Name"
        description="Everybody in it sees this name."
        required
        withAsterisk={false}
        maxLength={255}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        error={messageAt(faults, "name")}
      />
      {faults.length === 0 && <Refusal error={rename.error} />}
      <Button type="submit" variant="default" loading={rename.isPending} disabled={name === current}>
        Rename
      </Button>
    </form>
  );
}
