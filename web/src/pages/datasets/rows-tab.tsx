import { Alert, Button, Group, Stack, Text } from "@mantine/core";
import { IconHistory } from "@tabler/icons-react";
import type { Dataset } from "~/api/datasets";
import { counted } from "~/components/counted";
import { useMayChange } from "~/components/may-change";
import { Panel } from "~/components/page";
import { Refusal } from "~/components/refusal";
import { ErrorState, RowsLoading } from "~/components/states";
import classes from "~/pages/datasets/datasets.module.css";
import type { Cell } from "~/pages/datasets/grid/rows";
import { PagedRows } from "~/pages/datasets/paged-rows";
import { isBlank, RowsEditor } from "~/pages/datasets/rows-editor";
import type { SavedRows } from "~/pages/datasets/use-saved-rows";

interface RowsTabProps {
  dataset: Dataset;
  saved: SavedRows;
  active: Cell | null;
  onActive: (cell: Cell) => void;
}

/** The rows, to be edited where that is possible. */
export function RowsTab({ dataset, saved, active, onActive }: RowsTabProps) {
  const mayChange = useMayChange();
  const { rows } = saved;
  if (saved.tooLarge && !rows.unsaved) return <PagedRows dataset={dataset} />;
  if (!saved.ready) {
    return (
      <Panel flush>
        {saved.error ? <ErrorState error={saved.error} retry={saved.retry} /> : <RowsLoading />}
      </Panel>
    );
  }
  return (
    <Stack gap="md">
      <RowsEditor rows={rows} active={active} onActive={onActive} readOnly={!mayChange}>
        {(faults) => rows.unsaved && <SaveBar dataset={dataset} saved={saved} faults={faults} />}
      </RowsEditor>
    </Stack>
  );
}

function SaveBar({ dataset, saved, faults }: { dataset: Dataset; saved: SavedRows; faults: number }) {
  const { rows } = saved;
  const hindrance =
    faults > 0
      ? `${counted(faults, "fault")} to mend before they can be saved.`
      : isBlank(rows.list)
        ? "A dataset has at least one row."
        : null;
  return (
    <section className={classes.bar} aria-label="Unsaved rows">
      {saved.meanwhile !== null ? (
        <Alert
          role="alert"
          color="yellow"
          py="xs"
          icon={<IconHistory size={16} />}
          title={`Not saved: revision ${saved.meanwhile} was saved since you opened this one`}
        >
          <Text size="sm">
            Yours are all here still. Save them over the other ones, or take those instead.
          </Text>
          <Group gap="xs" mt="xs">
            <Button onClick={() => saved.save(true)} loading={saved.saving}>
              Save mine as revision {saved.meanwhile + 1}
            </Button>
            <Button variant="default" onClick={saved.takeTheirs}>
              Discard mine
            </Button>
          </Group>
        </Alert>
      ) : (
        <Refusal error={saved.refused} title="Not saved" />
      )}
      <Group justify="space-between" gap="xs">
        <Text size="sm" role="status">
          <b>Unsaved rows.</b>{" "}
          <Text span inherit c={faults > 0 ? "var(--band-red)" : "var(--ody-text-dim)"}>
            {hindrance ?? "Runs keep the rows they were made with."}
          </Text>
        </Text>
        <Group gap="xs">
          <Button variant="subtle" color="gray" onClick={rows.discard}>
            Discard
          </Button>
          <Button
            onClick={() => saved.save()}
            loading={saved.saving}
            disabled={hindrance !== null || saved.meanwhile !== null}
          >
            Save as revision {dataset.revision + 1}
          </Button>
        </Group>
      </Group>
    </section>
  );
}
