import { Button, Group, SegmentedControl, Text, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { type Content, datasetQuery, datasetsQuery, uploadDataset } from "~/api/datasets";
import { asProblem, messageAt } from "~/api/problem";
import { LeaveGuard } from "~/components/leave-guard";
import { useMayChange } from "~/components/may-change";
import { Page, Panel, TextLink } from "~/components/page";
import { Refusal } from "~/components/refusal";
import { Empty } from "~/components/states";
import { type Cell, contentOf, newRow } from "~/pages/datasets/grid/rows";
import { useRows } from "~/pages/datasets/grid/use-rows";
import { isBlank, RowsEditor } from "~/pages/datasets/rows-editor";
import { UploadPanel } from "~/pages/datasets/upload-panel";
import { VIEWERS_READ } from "~/pages/datasets/viewers";

const route = getRouteApi("/app/datasets/new");

/** A dataset of rows that come from a file or are written here. */
export function NewDatasetPage() {
  const mayChange = useMayChange();
  return (
    <Page
      title="New dataset"
      trail={[
        <TextLink key="datasets" to="/datasets">
          Datasets
        </TextLink>,
      ]}
      curl={[
        {
          what: "Upload rows",
          method: "POST",
          path: "/api/datasets?name=Orders",
          body: [{ user_instruction: "Cancel order ord_1.", checks: [{ called: "update_order" }] }],
        },
        { what: "A template to fill in", path: "/api/datasets/template?format=csv" },
      ]}
    >
      {mayChange ? (
        <NewDatasetForm />
      ) : (
        <Empty title={VIEWERS_READ}>Ask an admin of your organisation to change your role.</Empty>
      )}
    </Page>
  );
}

function NewDatasetForm() {
  const { by = "file" } = route.useSearch();
  const navigate = route.useNavigate();
  const client = useQueryClient();
  const [name, setName] = useState("");
  const [active, setActive] = useState<Cell | null>(null);
  const rows = useRows(() => [newRow()]);
  const create = useMutation({
    mutationFn: (content: Content) => uploadDataset(name, content),
    onSuccess: (dataset) => {
      client.setQueryData(datasetQuery(dataset.id).queryKey, dataset);
      void client.invalidateQueries({ queryKey: datasetsQuery.queryKey, exact: true });
      void navigate({ to: "/datasets/$datasetId", params: { datasetId: dataset.id }, ignoreBlocker: true });
    },
  });
  const refused = create.error === null ? null : asProblem(create.error);
  const nameless = name.trim() === "";
  const show = (next: "file" | "rows") =>
    void navigate({ search: next === "file" ? {} : { by: next }, replace: true, resetScroll: false });

  const save = (content: Content | null, ready: boolean) => (
    <>
      <Button
        disabled={content === null || !ready || nameless}
        loading={create.isPending}
        onClick={() => content && create.mutate(content)}
      >
        Make the dataset
      </Button>
      {nameless && (
        <Text size="xs" c="var(--ody-text-dim)">
          Give it a name.
        </Text>
      )}
    </>
  );

  return (
    <>
      <LeaveGuard unsaved={() => rows.unsaved && !create.isPending && !create.isSuccess} />
      <Panel>
        <Group gap="md" align="flex-end">
          <TextInput
            label="Name"
            required
            withAsterisk={false}
            maxLength={255}
            placeholder="Orders, spring"
            value={name}
            onChange={({ currentTarget }) => {
              create.reset();
              setName(currentTarget.value);
            }}
            error={refused && messageAt(refused.errors, "name")}
            w={{ base: "100%", xs: 360 }}
          />
          <SegmentedControl
            size="xs"
            aria-label="Where the rows come from"
            value={by}
            onChange={(next) => show(next === "rows" ? "rows" : "file")}
            data={[
              { value: "file", label: "From a file" },
              { value: "rows", label: "Write them here" },
            ]}
          />
        </Group>
      </Panel>
      {by === "file" ? (
        <UploadPanel
          refused={refused}
          onName={(given) => nameless && setName(given)}
          onEdit={(found, cell) => {
            create.reset();
            rows.replace(found);
            setActive(cell ?? { row: 0, column: "user" });
            show("rows");
          }}
        >
          {save}
        </UploadPanel>
      ) : (
        <RowsEditor rows={rows} active={active} onActive={setActive}>
          {(faults) => (
            <>
              <Refusal error={refused} title="Not made" />
              <Group gap="xs">{save(contentOf(rows.list), faults === 0 && !isBlank(rows.list))}</Group>
            </>
          )}
        </RowsEditor>
      )}
    </>
  );
}
