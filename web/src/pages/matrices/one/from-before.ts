import type { Matrix } from "~/api/matrices";

/** Whether it was judged before incidents, fresh runs and floors were looked at: then nothing is said of them. */
export function isFromBefore({ cells }: Pick<Matrix, "cells">): boolean {
  return cells.some(({ significant }) => significant == null);
}
