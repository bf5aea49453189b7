import { useQuery } from "@tanstack/react-query";
import { evalRunQuery } from "~/api/evals";
import type { MatrixCell } from "~/api/matrices";
import { Empty, ErrorState, PageLoading } from "~/components/states";
import { SideBySide } from "~/pages/evals/side-by-side";

/** The first run of each side, where nobody has said which ones are typical. */
export function NamedRuns({ cell: { runs } }: { cell: MatrixCell }) {
  const [baselineId] = runs.baseline;
  const [variationId] = runs.variation;
  const baseline = useQuery({ ...evalRunQuery(baselineId ?? 0), enabled: baselineId !== undefined });
  const variation = useQuery({ ...evalRunQuery(variationId ?? 0), enabled: variationId !== undefined });
  if (baselineId === undefined || variationId === undefined) {
    return <Empty title="No two runs to lay side by side" />;
  }
  const error = baseline.error ?? variation.error;
  if (error) return <ErrorState error={error} />;
  if (!baseline.data || !variation.data) return <PageLoading />;
  return <SideBySide baseline={baseline.data} variation={variation.data} />;
}
