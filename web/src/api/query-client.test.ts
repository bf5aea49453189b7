import { QueryObserver } from "@tanstack/react-query";
import { expect, test } from "vitest";
import { FreshQueryClient } from "~/api/query-client";

test("a list that is read for the first time while something is added is read again", async () => {
  const client = new FreshQueryClient();
  const answers: ((people: string[]) => void)[] = [];
  const queryFn = () => new Promise<string[]>((answer) => answers.push(answer));
  const shown = new QueryObserver(client, { queryKey: ["people"], queryFn });
  const stop = shown.subscribe(() => {});
  expect(answers).toHaveLength(1);

  const read = client.invalidateQueries({ queryKey: ["people"] });
  expect(answers).toHaveLength(2);
  answers[0]?.(["ada"]);
  answers[1]?.(["ada", "new"]);
  await read;
  expect(shown.getCurrentResult()).toMatchObject({ status: "success", data: ["ada", "new"] });
  stop();
});

test("one that is there is read again, and stays until the new one comes", async () => {
  const client = new FreshQueryClient();
  client.setQueryData(["people"], ["ada"]);
  const shown = new QueryObserver(client, {
    queryKey: ["people"],
    queryFn: () => Promise.resolve(["ada", "new"]),
    staleTime: 60_000,
  });
  const stop = shown.subscribe(() => {});
  const read = client.invalidateQueries({ queryKey: ["people"] });
  expect(shown.getCurrentResult().data).toEqual(["ada"]);
  await read;
  expect(shown.getCurrentResult().data).toEqual(["ada", "new"]);
  stop();
});
