import { useQuery } from "@tanstack/react-query";
import { type MatricesCompared, type MatrixCell, type MatrixSummary, matrixQuery } from "~/api/matrices";
import { failingRows, rowKey } from "~/pages/matrices/heat-map/looks";

/** Whether the row of a cell fails without pressure, in either matrix. */
export interface Failing {
  before: (cell: MatrixCell) => boolean;
  after: (cell: MatrixCell) => boolean;
}

/** A comparison has no floors: those of a matrix that has broken ones are read with it. */
export function useFailing({ before, after }: MatricesCompared): Failing {
  return { before: useRows(before), after: useRows(after) };
}

function useRows({ id, summary }: MatrixSummary): (cell: MatrixCell) => boolean {
  const { data } = useQuery({ ...matrixQuery(id), enabled: (summary?.broken_floors ?? 0) > 0 });
  const rows = data && failingRows(data);
  return (cell) => rows?.has(rowKey(cell)) ?? false;
}
