import { Autocomplete, Button, Input, SegmentedControl, Select, Stack, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { getRouteApi } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import type { World } from "~/api/worlds";
import { counted } from "~/components/counted";
import { ChooseFile, FileDrop, useFile } from "~/components/file-drop";
import { useMayChange } from "~/components/may-change";
import { Panel } from "~/components/page";
import { Refusal } from "~/components/refusal";
import { TableText } from "~/components/table-text";
import classes from "~/pages/worlds/import/import.module.css";
import { PreviewView } from "~/pages/worlds/import/preview";
import { likelyIdField, recordsIn } from "~/pages/worlds/import/records";
import { type ImportRequest, useApply, usePreview } from "~/pages/worlds/import/use-import";
import { VIEWERS_READ } from "~/pages/worlds/viewers";

const route = getRouteApi("/app/worlds/$worldId");
const PLACEHOLDER = "order_id,status,total_cents\nord_1,pending,7950\nord_2,shipped,1200";

/** Many entities of one type at once. What it would do is told before it is done. */
export function ImportTab({ world }: { world: World }) {
  const navigate = route.useNavigate();
  const mayChange = useMayChange();
  const [content, setContent] = useState({ text: "", file: null as string | null, revision: 0 });
  const [type, setType] = useState("");
  const [chosenIdField, setIdField] = useState<string | null>(null);
  const [mode, setMode] = useState<ImportRequest["mode"]>("merge");
  const records = useMemo(() => recordsIn(content.text), [content.text]);
  const columns = records?.columns ?? [];
  const keyed = records?.keyed ?? false;
  const likely = keyed ? null : likelyIdField(columns, type);
  const idField = chosenIdField !== null && columns.includes(chosenIdField) ? chosenIdField : likely;
  const request =
    records === null || records.problem !== null || type.trim() === "" || (idField === null && !keyed)
      ? null
      : {
          entityType: type.trim(),
          idField,
          mode,
          format: records.format,
          text: content.text,
          revision: content.revision,
        };
  const preview = usePreview(world.id, world.hash, mayChange ? request : null);
  const apply = useApply(world.id, ({ imported }) => {
    notifications.show({ message: `${counted(imported, "row")} imported` });
    setContent({ text: "", file: null, revision: content.revision + 1 });
    void navigate({ search: { type: type.trim() }, resetScroll: false });
  });

  const file = useFile((text, name) => {
    write(text, name);
    if (type === "") setType(name.replace(/\.[^.]*$/, "").replace(/s$/, ""));
  });

  function write(text: string, name: string | null = null) {
    file.forget();
    apply.reset();
    setContent((before) => ({ text, file: name, revision: before.revision + 1 }));
  }

  const ready = request !== null && preview.result !== null && !preview.checking;
  return (
    <FileDrop file={file}>
      <div className={classes.split}>
        <Panel title="What to import" style={{ minWidth: 0 }}>
          <Stack gap="sm">
            <Text size="sm" c="var(--ody-text-dim)">
              CSV with a line of column names, a JSON list of objects, or JSON objects by id. Paste it, drop a
              file anywhere here, or{" "}
              <ChooseFile file={file} of="table">
                choose a file
              </ChooseFile>
            </Text>
            <TableText
              text={content.text}
              name={content.file}
              placeholder={PLACEHOLDER}
              onChange={(text) => write(text, content.file)}
            />
            {(file.problem ?? records?.problem) && (
              <Text size="xs" c="var(--band-red)" role="alert">
                {file.problem ?? records?.problem}
              </Text>
            )}
            <div className={classes.choices}>
              <Autocomplete
                size="xs"
                label="Entity type"
                placeholder="order"
                data={Object.keys(world.entity_counts).sort()}
                value={type}
                onChange={setType}
                spellCheck={false}
              />
              <Select
                size="xs"
                label="Column with the id"
                placeholder={
                  keyed ? "the keys of the objects" : records ? "Choose one" : "Once there are columns"
                }
                data={columns}
                value={idField}
                onChange={setIdField}
                searchable
                allowDeselect={false}
                disabled={columns.length === 0}
              />
              <Input.Wrapper
                size="xs"
                label="What is there already"
                labelElement="div"
                description={
                  mode === "merge"
                    ? "A row of a known id changes the fields it has; all else stays."
                    : "The rows are all there will be of this type."
                }
                inputWrapperOrder={["label", "input", "error", "description"]}
              >
                <div>
                  <SegmentedControl
                    size="xs"
                    aria-label="What is there already"
                    data={["merge", "replace"]}
                    value={mode}
                    onChange={(next) => setMode(next === "replace" ? "replace" : "merge")}
                  />
                </div>
              </Input.Wrapper>
            </div>
          </Stack>
        </Panel>
        <Panel title="What it would do" style={{ minWidth: 0 }}>
          <Stack gap="sm">
            {mayChange ? (
              <PreviewView preview={preview} request={request} missing={missing(records !== null, type)} />
            ) : (
              <Text size="sm">{VIEWERS_READ}.</Text>
            )}
            {apply.error && <Refusal error={apply.error} title="Not imported" />}
            <Button
              disabled={!ready || !mayChange}
              loading={apply.isPending}
              onClick={() => request && apply.mutate(request)}
            >
              Import
            </Button>
          </Stack>
        </Panel>
      </div>
    </FileDrop>
  );
}

function missing(hasText: boolean, type: string): string {
  if (!hasText) return "Paste or drop something first.";
  return type.trim() === "" ? "Name the entity type." : "Mend the text first.";
}
