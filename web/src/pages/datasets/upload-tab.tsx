import { Button } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { type Content, type Dataset, replaceRows } from "~/api/datasets";
import { asProblem } from "~/api/problem";
import type { Cell, Found } from "~/pages/datasets/grid/rows";
import { UploadPanel } from "~/pages/datasets/upload-panel";
import type { SavedRows } from "~/pages/datasets/use-saved-rows";

const route = getRouteApi("/app/datasets/$datasetId");

interface UploadTabProps {
  dataset: Dataset;
  saved: SavedRows;
  onEdit: (found: Found, cell: Cell | null) => void;
}

/** Other rows for a dataset: its next revision. */
export function UploadTab({ dataset, saved, onEdit }: UploadTabProps) {
  const navigate = route.useNavigate();
  const upload = useMutation({
    mutationFn: (content: Content) => replaceRows(dataset.id, content),
    onSuccess: (changed) => {
      saved.rows.discard();
      saved.adopt(changed);
      void navigate({ search: {}, resetScroll: false });
    },
  });
  return (
    <UploadPanel refused={upload.error === null ? null : asProblem(upload.error)} onEdit={onEdit}>
      {(content, ready) => (
        <Button
          disabled={content === null || !ready}
          loading={upload.isPending}
          onClick={() => content && upload.mutate(content)}
        >
          Save as revision {dataset.revision + 1}
        </Button>
      )}
    </UploadPanel>
  );
}
