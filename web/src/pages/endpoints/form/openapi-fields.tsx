import { Group, Input, SegmentedControl, Stack, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import { messageAt } from "~/api/problem";
import { size } from "~/components/counted";
import { ChooseFile, FileDrop, useFile } from "~/components/file-drop";
import { TableText } from "~/components/table-text";
import type { SpecFrom } from "~/pages/endpoints/form/draft";
import type { FieldsProps } from "~/pages/endpoints/form/endpoint-form";

/** Where the OpenAPI document comes from, and where its operations are called. */
export function OpenApiFields({ draft, change, errors, saved }: FieldsProps) {
  const kept = saved?.config.spec_bytes ?? null;
  return (
    <>
      <Input.Wrapper label="OpenAPI document" labelElement="div">
        <Group mt={2}>
          <SegmentedControl
            size="xs"
            aria-label="Where the document comes from"
            value={draft.specFrom}
            onChange={(specFrom) => change({ specFrom: specFrom as SpecFrom })}
            data={[
              ...(saved !== null && saved.config.spec_url === null
                ? [{ value: "kept", label: "The one that is kept" }]
                : []),
              { value: "address", label: "By address" },
              { value: "text", label: "Pasted" },
            ]}
          />
        </Group>
      </Input.Wrapper>
      {draft.specFrom === "kept" && (
        <Text size="sm">
          {kept === null ? "It was never read." : `${size(kept)}, pasted earlier.`} It is not shown again.
        </Text>
      )}
      {draft.specFrom === "address" && (
        <TextInput
          label="Address of the document"
          description="OpenAPI 3.0 or 3.1, in JSON or YAML. It is fetched at every discovery."
          placeholder="https://api.example.com/openapi.json"
          inputMode="url"
          value={draft.specUrl}
          onChange={({ currentTarget }) => change({ specUrl: currentTarget.value })}
          error={messageAt(errors, "config", "spec_url")}
          spellCheck={false}
          maw={640}
        />
      )}
      {draft.specFrom === "text" && (
        <PastedSpec draft={draft} change={change} errors={errors} saved={saved} />
      )}
      <TextInput
        label="Base URL"
        description="Where the operations are called. Blank: the first absolute server of the document."
        placeholder="https://api.example.com/v1"
        inputMode="url"
        value={draft.baseUrl}
        onChange={({ currentTarget }) => change({ baseUrl: currentTarget.value })}
        error={messageAt(errors, "config", "base_url")}
        spellCheck={false}
        maw={640}
      />
    </>
  );
}

function PastedSpec({ draft, change, errors }: FieldsProps) {
  const [name, setName] = useState<string | null>(null);
  const file = useFile((spec, named) => {
    setName(named);
    change({ spec });
  });
  const error = messageAt(errors, "config", "spec");
  return (
    <FileDrop file={file}>
      <Stack gap={4} maw={760}>
        <Text size="xs" c="var(--ody-text-dim)">
          OpenAPI 3.0 or 3.1, in JSON or YAML. Paste it, drop a file here, or{" "}
          <ChooseFile file={file} of="yaml">
            choose a file
          </ChooseFile>
        </Text>
        <TableText
          label="The OpenAPI document"
          text={draft.spec}
          name={name}
          placeholder={'openapi: 3.1.0\ninfo: {title: Orders, version: "1"}\npaths: …'}
          onChange={(spec) => {
            file.forget();
            setName(null);
            change({ spec });
          }}
        />
        {(file.problem ?? error) && <Input.Error role="alert">{file.problem ?? error}</Input.Error>}
      </Stack>
    </FileDrop>
  );
}
