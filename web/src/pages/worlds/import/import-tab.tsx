import {
  Autocomplete,
  Button,
  FileButton,
  Group,
  Input,
  SegmentedControl,
  Select,
  Stack,
  Text,
  Textarea,
} from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { IconFileText, IconUpload } from "@tabler/icons-react";
import { getRouteApi } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import type { World } from "~/api/worlds";
import { FileDrop, readFile } from "~/components/file-drop";
import { Panel } from "~/components/page";
import { Refusal } from "~/components/refusal";
import classes from "~/pages/worlds/import/import.module.css";
import { PreviewView } from "~/pages/worlds/import/preview";
import { likelyIdField, recordsIn } from "~/pages/worlds/import/records";
import { type ImportRequest, useApply, usePreview } from "~/pages/worlds/import/use-import";
import { useMayChange, VIEWERS_READ } from "~/pages/worlds/may-change";
import { counted, size } from "~/pages/worlds/sizes";

const route = getRouteApi("/app/worlds/$worldId");
const SHOWN_AS_TEXT = 100_000;
const PLACEHOLDER = "order_id,status,total_cents\nord_1,pending,7950\nord_2,shipped,1200";

/** Many entities of one type at once. What it would do is told before it is done. */
export function ImportTab({ world }: { world: World }) {
  const navigate = route.useNavigate();
  const mayChange = useMayChange();
  const [content, setContent] = useState({ text: "", file: null as string | null, revision: 0 });
  const [unread, setUnread] = useState<string | null>(null);
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

  function write(text: string, file: string | null = null) {
    setUnread(null);
    apply.reset();
    setContent((before) => ({ text, file, revision: before.revision + 1 }));
  }

  async function take(file: File | null) {
    if (file === null) return;
    const read = await readFile(file);
    if (!("text" in read)) return setUnread(read.problem);
    write(read.text, file.name);
    if (type === "") setType(file.name.replace(/\.[^.]*$/, "").replace(/s$/, ""));
  }

  const ready = request !== null && preview.result !== null && !preview.checking;
  return (
    <FileDrop onFile={(file) => void take(file)}>
      <div className={classes.split}>
        <Panel title="What to import" style={{ minWidth: 0 }}>
          <Stack gap="sm">
            <Text size="sm" c="var(--ody-text-dim)">
              CSV with a line of column names, a JSON list of objects, or JSON objects by id. Paste it, drop a
              file anywhere here, or{" "}
              <FileButton accept=".csv,.json,text/csv,application/json" onChange={(file) => void take(file)}>
                {(button) => (
                  <Button
                    {...button}
                    variant="default"
                    size="compact-xs"
                    leftSection={<IconUpload size={13} />}
                  >
                    choose a file
                  </Button>
                )}
              </FileButton>
            </Text>
            {content.text.length > SHOWN_AS_TEXT ? (
              <Group gap="xs" className={classes.file}>
                <IconFileText size={18} aria-hidden />
                <Text size="sm" style={{ overflowWrap: "anywhere" }}>
                  {content.file ?? "Pasted text"}, {size(content.text.length)}
                </Text>
                <Button variant="subtle" size="compact-xs" ml="auto" onClick={() => write("")}>
                  Take another
                </Button>
              </Group>
            ) : (
              <Textarea
                aria-label="CSV or JSON"
                autosize
                minRows={8}
                maxRows={18}
                placeholder={PLACEHOLDER}
                classNames={{ input: classes.code ?? "" }}
                value={content.text}
                onChange={({ currentTarget }) => write(currentTarget.value, content.file)}
                spellCheck={false}
              />
            )}
            {(unread ?? records?.problem) && (
              <Text size="xs" c="var(--band-red)" role="alert">
                {unread ?? records?.problem}
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
