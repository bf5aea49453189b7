import {
  Button,
  Group,
  Input,
  NumberInput,
  SegmentedControl,
  SimpleGrid,
  Stack,
  Text,
  TextInput,
} from "@mantine/core";
import { type FormEvent, useEffect, useState } from "react";
import { messageAt } from "~/api/problem";
import type { ModelSettings } from "~/api/settings";
import { Panel } from "~/components/page";
import { Refusal } from "~/components/refusal";
import { ApiKeyField } from "~/pages/settings/api-key-field";
import {
  draftOf,
  isSame,
  type ModelDraft,
  modelChange,
  PROVIDERS,
  withProvider,
} from "~/pages/settings/model-draft";
import { RemoveModel } from "~/pages/settings/remove-model";
import { ROLES, type Role } from "~/pages/settings/roles";
import { useSave } from "~/pages/settings/use-save";

export interface FormProps<Saved> {
  saved: Saved;
  /** Whether there is anything that would be lost. */
  onUnsaved: (unsaved: boolean) => void;
}

interface ModelFormProps extends FormProps<ModelSettings | null> {
  /** What it is for. */
  use: Role;
}

/** The model an organisation uses in one role. */
export function ModelForm({ use: role, saved, onUnsaved }: ModelFormProps) {
  const words = ROLES[role];
  const [draft, setDraft] = useState(() => draftOf(saved));
  const change = (part: Partial<ModelDraft>) => setDraft((before) => ({ ...before, ...part }));
  const saving = useSave(`The ${words.name} model is saved.`, ({ models }) =>
    setDraft(draftOf(models[role])),
  );
  const at = (name: string) => messageAt(saving.faults, "models", role, name);
  const unsaved = !isSame(draft, draftOf(saved));
  useEffect(() => onUnsaved(unsaved), [onUnsaved, unsaved]);
  const own = PROVIDERS[draft.provider];

  function submit(event: FormEvent) {
    event.preventDefault();
    saving.save(modelChange(role, draft));
  }

  return (
    <Panel
      title={words.title}
      tools={saved && <RemoveModel use={role} onRemoved={() => setDraft(draftOf(null))} />}
    >
      <form onSubmit={submit} noValidate>
        <Stack gap="sm">
          <Text size="sm" c="var(--ody-text-dim)">
            {saved === null ? words.without : words.about}
          </Text>
          <Input.Wrapper
            label="Provider"
            labelElement="div"
            description="The protocol its server speaks; many others speak OpenAI's."
            inputWrapperOrder={["label", "input", "error", "description"]}
          >
            <Group>
              <SegmentedControl
                size="xs"
                aria-label="Provider"
                data={Object.entries(PROVIDERS).map(([value, { label }]) => ({ value, label }))}
                value={draft.provider}
                onChange={(provider) => setDraft(withProvider(draft, provider as ModelDraft["provider"]))}
              />
            </Group>
          </Input.Wrapper>
          <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
            <TextInput
              label="Model"
              placeholder={own.model}
              value={draft.model}
              onChange={({ currentTarget }) => change({ model: currentTarget.value })}
              error={at("model")}
              spellCheck={false}
            />
            <TextInput
              label="Base URL"
              placeholder={own.baseUrl}
              inputMode="url"
              value={draft.baseUrl}
              onChange={({ currentTarget }) => change({ baseUrl: currentTarget.value })}
              error={at("base_url")}
              spellCheck={false}
            />
          </SimpleGrid>
          <ApiKeyField
            hint={saved?.api_key_hint ?? null}
            value={draft.apiKey}
            onChange={(apiKey) => change({ apiKey })}
            error={at("api_key")}
          />
          <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
            <Amount
              label="Price of input"
              about="Per million tokens. With prices of 0 nothing counts as spent."
              prefix="$"
              value={draft.inputPrice}
              onChange={(inputPrice) => change({ inputPrice })}
              error={at("input_usd_per_mtok")}
            />
            <Amount
              label="Price of output"
              about="Per million tokens."
              prefix="$"
              value={draft.outputPrice}
              onChange={(outputPrice) => change({ outputPrice })}
              error={at("output_usd_per_mtok")}
            />
            <Amount
              label="Time-out"
              about="Seconds to wait for one answer, 1 to 600."
              suffix=" s"
              value={draft.timeoutS}
              onChange={(timeoutS) => change({ timeoutS })}
              error={at("timeout_s")}
            />
            <Amount
              label="Longest answer"
              about="Tokens of one answer, 64 to 100,000; the worst case is reserved of the budget."
              suffix=" tokens"
              value={draft.maxOutputTokens}
              onChange={(maxOutputTokens) => change({ maxOutputTokens })}
              error={at("max_output_tokens")}
            />
          </SimpleGrid>
          <Refusal error={saving.failure} />
          <Group gap="xs">
            <Button type="submit" loading={saving.saving} disabled={!unsaved}>
              {saved === null ? words.use : "Save"}
            </Button>
            {unsaved && (
              <Button variant="subtle" color="gray" onClick={() => setDraft(draftOf(saved))}>
                Discard
              </Button>
            )}
          </Group>
        </Stack>
      </form>
    </Panel>
  );
}

interface AmountProps {
  label: string;
  about: string;
  prefix?: string;
  suffix?: string;
  value: number | string;
  onChange: (value: number | string) => void;
  error: string | null;
}

export function Amount({ about, ...input }: AmountProps) {
  return (
    <NumberInput
      size="sm"
      min={0}
      clampBehavior="none"
      thousandSeparator=","
      hideControls
      description={about}
      inputWrapperOrder={["label", "input", "error", "description"]}
      {...input}
    />
  );
}
