import { useQuery } from "@tanstack/react-query";
import { batchesQuery } from "~/api/batches";
import type { Dataset } from "~/api/datasets";
import { BatchTable } from "~/components/batches/batch-table";
import { Panel, TextLink } from "~/components/page";
import { Empty, ErrorState, RowsLoading } from "~/components/states";

export function BatchesTab({ dataset }: { dataset: Dataset }) {
  const { data, error, refetch } = useQuery(batchesQuery({ dataset_id: dataset.id }));
  if (data === undefined) {
    return error ? <ErrorState error={error} retry={() => void refetch()} /> : <RowsLoading />;
  }
  return (
    <Panel flush>
      {data.items.length === 0 ? (
        <Empty title="Not run yet">Run it on an agent: what comes of it is shown here.</Empty>
      ) : (
        <BatchTable batches={data.items} ofOneDataset />
      )}
      {data.next_cursor !== null && (
        <TextLink to="/batches" search={{ dataset_id: dataset.id }} px="md" py="xs" display="block">
          All batches of this dataset
        </TextLink>
      )}
    </Panel>
  );
}
