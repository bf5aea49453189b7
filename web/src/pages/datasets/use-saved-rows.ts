import { notifications } from "@mantine/notifications";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { type Dataset, datasetQuery, datasetsQuery, replaceRows, tableQuery } from "~/api/datasets";
import { asProblem, type Problem } from "~/api/problem";
import { contentOf, rowsIn } from "~/pages/datasets/grid/rows";
import { type Rows, useRows } from "~/pages/datasets/grid/use-rows";
import { LONGEST_EDITED, MOST_EDITED } from "~/pages/datasets/sizes";

export interface SavedRows {
  rows: Rows;
  /** The rows are here, to be edited. */
  ready: boolean;
  /** There are too many for that, or they are too long. */
  tooLarge: boolean;
  loading: boolean;
  error: Error | null;
  retry: () => void;
  /** `over`: whatever others saved meanwhile. */
  save: (over?: boolean) => void;
  saving: boolean;
  refused: Problem | null;
  /** The revision that others have saved since these rows were read. */
  meanwhile: number | null;
  /** Their rows instead of one's own. */
  takeTheirs: () => void;
  /** Whatever became of a dataset by an upload. */
  adopt: (dataset: Dataset) => void;
}

/** A dataset's rows as they are read, edited, and saved as its next revision. */
export function useSavedRows(dataset: Dataset): SavedRows {
  const client = useQueryClient();
  const rows = useRows(() => []);
  const [revision, setRevision] = useState<number | null>(null);
  const few = dataset.row_count <= MOST_EDITED;
  const table = useQuery({ ...tableQuery(dataset.id, dataset.revision), enabled: few });
  const tooLarge = !few || (table.data?.length ?? 0) > LONGEST_EDITED;
  const { unsaved, load } = rows;

  useEffect(() => {
    if (tooLarge || table.data === undefined || unsaved || revision === dataset.revision) return;
    load(rowsIn({ format: "csv", text: table.data }) ?? { rows: [], columns: [] });
    setRevision(dataset.revision);
  }, [tooLarge, table.data, unsaved, revision, dataset.revision, load]);

  function adopt(changed: Dataset) {
    client.setQueryData(datasetQuery(changed.id).queryKey, changed);
    void client.invalidateQueries({ queryKey: datasetsQuery.queryKey, exact: true });
    notifications.show({ message: `Saved as revision ${changed.revision}.` });
  }

  const save = useMutation({
    mutationFn: async ({ over }: { over: boolean }) => {
      const list = rows.list;
      const now = await client.fetchQuery({ ...datasetQuery(dataset.id), staleTime: 0 });
      if (!over && revision !== null && now.revision !== revision) return { list, now, stored: null };
      return { list, now, stored: await replaceRows(dataset.id, contentOf(list)) };
    },
    onSuccess: ({ list, stored }) => {
      if (stored === null) return;
      rows.settle(list);
      setRevision(stored.revision);
      adopt(stored);
    },
  });

  return {
    rows,
    ready: revision !== null || unsaved,
    tooLarge,
    loading: few && table.isPending,
    error: table.error,
    retry: () => void table.refetch(),
    save: (over = false) => save.mutate({ over }),
    saving: save.isPending,
    refused: save.error === null ? null : asProblem(save.error),
    meanwhile: unsaved && save.data?.stored === null ? save.data.now.revision : null,
    takeTheirs: () => {
      save.reset();
      rows.discard();
    },
    adopt,
  };
}
