import { Alert, Button, Group, Paper, Text, Textarea, TextInput } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { IconFileImport } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useCallback, useEffect, useMemo, useState } from "react";
import { messageAt } from "~/api/problem";
import { type Agent, agentQuery } from "~/api/queries";
import { CurrentFaults } from "~/components/current-faults";
import { FileDrop, useFile } from "~/components/file-drop";
import { FormSection } from "~/components/form/form-section";
import { useDraftForm } from "~/components/form/use-draft-form";
import { useFirstFault } from "~/components/form/use-first-fault";
import { LeaveGuard } from "~/components/leave-guard";
import { Page, TextLink } from "~/components/page";
import { BehaviourSection } from "~/pages/agents/form/behaviour-section";
import { DocumentSection } from "~/pages/agents/form/document-section";
import { type AgentDraft, draftOf, emptyDraft, registrationOf, withText } from "~/pages/agents/form/draft";
import { EndpointSection } from "~/pages/agents/form/endpoint-section";
import { EnginesSection } from "~/pages/agents/form/engines-section";
import { bodyToCheck, faultsHere } from "~/pages/agents/form/faults";
import { fingerprint } from "~/pages/agents/form/fingerprint";
import { ImportDialog } from "~/pages/agents/form/import-dialog";
import { filled, type Recognised } from "~/pages/agents/form/recognise";
import { saveAgent } from "~/pages/agents/form/save-agent";
import { SaveBar } from "~/pages/agents/form/save-bar";
import { SubAgentsSection } from "~/pages/agents/form/sub-agents-section";
import { ToolsSection } from "~/pages/agents/form/tools-section";
import { useFaults } from "~/pages/agents/form/use-faults";
import { useValidation } from "~/pages/agents/form/use-validation";

const LEDGER_EXAMPLE = `{
  "entities": [
    {"type": "order", "id_field": "order_id", "fields": [{"name": "status", "type": "string"}]}
  ]
}`;

/** The last import, and the draft on the other side of it: what was typed since is never thrown away. */
interface Filling {
  what: string;
  other: AgentDraft;
  undone: boolean;
}

/** Registering an agent, and changing one: the same form. */
export function AgentForm({ saved }: { saved: Agent | null }) {
  const navigate = useNavigate();
  const client = useQueryClient();
  const [startedFrom] = useState(saved?.version ?? null);
  const [visited, setVisited] = useState<ReadonlySet<string>>(new Set());
  const [importing, setImporting] = useState(false);
  const [importText, setImportText] = useState("");
  const [filling, setFilling] = useState<Filling | null>(null);

  // They would lie over the buttons of the save bar.
  useEffect(() => notifications.clean(), []);

  const { form, goToFirst } = useFirstFault('[aria-invalid="true"], [data-fault]', (fault) =>
    fault.closest("li, section")?.querySelector<HTMLElement>("button, [contenteditable]"),
  );
  const { draft, first, change, update, problem, ...drafted } = useDraftForm({
    beginning: () => (saved === null ? emptyDraft() : draftOf(saved)),
    check: useCallback((written: AgentDraft) => faultsHere(written, saved), [saved]),
    save: (written, publish: boolean) => saveAgent(written, saved, publish),
    onSaved: ({ agent, notPublished }) => {
      client.setQueryData(agentQuery(agent.id).queryKey, agent);
      void client.invalidateQueries({ queryKey: ["agents"] });
      const published = agent.published_version === agent.version;
      notifications.show({
        title: `${agent.name}: version ${agent.version} ${published ? "is published" : "is saved as a draft"}`,
        message: notPublished ? `It was not published: ${notPublished.detail}` : undefined,
        color: notPublished ? "red" : "teal",
      });
      return navigate({ to: "/agents/$agentId", params: { agentId: agent.id }, ignoreBlocker: true });
    },
    onFaults: goToFirst,
    fingerprint,
  });

  const validation = useValidation(
    useMemo(() => (saved === null && draft === first ? null : bodyToCheck(draft)), [saved, draft, first]),
  );
  const faults = useFaults(draft, drafted.faults, problem?.errors ?? validation.errors, visited);

  function submit(publish: boolean) {
    setVisited(new Set(["name", "endpoint_url"]));
    drafted.submit(publish);
  }

  function fill(found: Recognised, merge: boolean) {
    setFilling({ what: found.what, other: draft, undone: false });
    update((before) => filled(before, found, merge));
    setImporting(false);
    setImportText("");
  }

  function swap({ what, other, undone }: Filling) {
    setFilling({ what, other: draft, undone: !undone });
    update(() => other);
  }

  const dropped = useFile((text) => {
    setImportText(text);
    setImporting(true);
  });

  const leave = (field: string) => setVisited((before) => new Set([...before, field]));
  const path = saved === null ? "/api/agents" : `/api/agents/${saved.id}`;
  const publishable = draft.mode === "http";
  return (
    <Page
      title={saved === null ? "Register an agent" : `Edit ${saved.name}`}
      trail={[
        <TextLink key="agents" to="/agents">
          Agents
        </TextLink>,
        saved && (
          <TextLink key="agent" to="/agents/$agentId" params={{ agentId: saved.id }} truncate maw={320}>
            {saved.name}
          </TextLink>
        ),
      ].filter((link) => link !== null)}
      actions={
        <Button
          variant="default"
          leftSection={<IconFileImport size={15} />}
          onClick={() => setImporting(true)}
        >
          Import JSON
        </Button>
      }
      curl={[
        {
          what: "Check without saving",
          method: "POST",
          path: "/api/agents/validate",
          body: registrationOf(draft),
        },
        {
          what: saved === null ? "Register this agent" : "Save this agent",
          method: saved === null ? "POST" : "PUT",
          path,
          body: registrationOf(draft),
        },
      ]}
    >
      <LeaveGuard unsaved={drafted.changed} />
      <ImportDialog
        opened={importing}
        onClose={() => setImporting(false)}
        text={importText}
        onText={setImportText}
        tools={draft.tools}
        onFill={fill}
      />
      {saved !== null && saved.version !== startedFrom && (
        <Alert color="yellow" title={`Version ${saved.version} was saved elsewhere while you were editing`}>
          Saving here writes over it. Its content stays in the list of versions.
        </Alert>
      )}
      {filling && (
        <Alert color="teal" p="xs" withCloseButton onClose={() => setFilling(null)} closeButtonLabel="Close">
          <Group gap="xs">
            <Text size="sm">
              {filling.undone ? "Taken back." : "Filled in."} {filling.what}.
            </Text>
            <Button variant="default" size="compact-xs" onClick={() => swap(filling)}>
              {filling.undone ? "Redo" : "Undo"}
            </Button>
          </Group>
        </Alert>
      )}
      {dropped.problem && (
        <Alert
          role="alert"
          color="red"
          py="xs"
          withCloseButton
          closeButtonLabel="Close"
          onClose={dropped.forget}
        >
          {dropped.problem}
        </Alert>
      )}
      <CurrentFaults value={problem !== null || !validation.checking}>
        <FileDrop file={dropped}>
          <Paper withBorder bg="var(--ody-surface)" ref={form}>
            <FormSection title="Identity" about="How people recognise the agent in lists and runs.">
              <TextInput
                label="Name"
                required
                withAsterisk={false}
                value={draft.name}
                onChange={(event) => change({ name: event.currentTarget.value })}
                onBlur={() => leave("name")}
                error={messageAt(faults.fields, "name")}
                maw={640}
              />
              <Textarea
                size="sm"
                label="Description"
                autosize
                minRows={2}
                maxRows={10}
                value={draft.description}
                onChange={(event) => change({ description: event.currentTarget.value })}
                error={messageAt(faults.fields, "description")}
                maw={640}
              />
            </FormSection>
            <EndpointSection
              draft={draft}
              change={change}
              faults={faults.fields}
              saved={saved}
              onLeave={leave}
            />
            <BehaviourSection draft={draft} change={change} faults={faults.fields} />
            <ToolsSection
              tools={draft.tools}
              change={update}
              faults={faults.fields}
              onImport={() => setImporting(true)}
            />
            <EnginesSection draft={draft} change={change} faults={faults.fields} />
            <DocumentSection
              title="Ledger schema"
              about="Optional. The kinds of things the simulated world holds, such as orders and payments. Without one the ledger is open: anything may appear in it."
              label="Ledger schema as JSON"
              placeholder={LEDGER_EXAMPLE}
              draft={draft.ledgerSchema}
              onChange={(text) => update((before) => ({ ledgerSchema: withText(before.ledgerSchema, text) }))}
              faults={faults.fields}
              at="ledger_schema"
            />
            <SubAgentsSection draft={draft} change={change} faults={faults.fields} />
            {(draft.otherConfig !== first.otherConfig ||
              draft.otherConfig.text !== "" ||
              faults.other.length > 0) && (
              <DocumentSection
                title="Other settings"
                about="Members of config without a field of their own. They are kept as they are."
                label="Other members of config as JSON"
                draft={draft.otherConfig}
                onChange={(text) => update((before) => ({ otherConfig: withText(before.otherConfig, text) }))}
                faults={faults.other}
                at="config"
              />
            )}
          </Paper>
        </FileDrop>
      </CurrentFaults>
      <SaveBar
        problems={faults.count}
        needed={faults.needed}
        checking={validation.checking}
        failure={validation.failure}
        refused={problem}
        saving={drafted.saving ? (drafted.way ? "publish" : "draft") : null}
        draftLabel={saved === null ? "Register as draft" : "Save as draft"}
        publishLabel={saved === null ? "Register and publish" : "Save and publish"}
        onDraft={() => submit(false)}
        onPublish={publishable ? () => submit(true) : undefined}
        onJump={goToFirst}
        onCancel={() =>
          void (saved === null
            ? navigate({ to: "/agents" })
            : navigate({ to: "/agents/$agentId", params: { agentId: saved.id } }))
        }
      />
    </Page>
  );
}
