import { Text } from "@mantine/core";
import type { MatrixCell } from "~/api/matrices";
import { Fact, Facts } from "~/components/facts";
import { factsOf } from "~/pages/matrices/heat-map/cell-tip";
import { saidOf } from "~/pages/matrices/heat-map/looks";

/** The figures of a cell as the matrix has them. */
export function CellFacts({ cell }: { cell: MatrixCell }) {
  return (
    <>
      <Text size="sm">{saidOf(cell)}</Text>
      <Facts label="Figures of the cell">
        {factsOf(cell).map(([name, value]) => (
          <Fact key={name} label={name}>
            {value}
          </Fact>
        ))}
      </Facts>
    </>
  );
}
