import type { Matrix } from "~/api/matrices";

/** Whether it was judged before incidents, floors and fresh runs were: then nothing is said of them. */
export function isFromBefore({ cells }: Pick<Matrix, "cells">): boolean {
  return cells.length > 0 && cells.every(({ significant }) => significant == null);
}
