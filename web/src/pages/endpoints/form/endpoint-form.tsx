import { Paper, TextInput } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import {
  changeEndpoint,
  createEndpoint,
  type Endpoint,
  endpointQuery,
  endpointsQuery,
} from "~/api/endpoints";
import { type FieldError, messageAt } from "~/api/problem";
import { counted } from "~/components/counted";
import { FormSection } from "~/components/form/form-section";
import { NameFields } from "~/components/form/name-fields";
import { SaveBar } from "~/components/form/save-bar";
import { useDraftForm } from "~/components/form/use-draft-form";
import { useFirstFault } from "~/components/form/use-first-fault";
import { LeaveGuard } from "~/components/leave-guard";
import { Page, TextLink } from "~/components/page";
import { AuthFields } from "~/pages/endpoints/form/auth-fields";
import {
  bodyOf,
  draftOf,
  EMPTY,
  type EndpointDraft,
  faultsOf,
  shownBody,
} from "~/pages/endpoints/form/draft";
import { OpenApiFields } from "~/pages/endpoints/form/openapi-fields";
import { TypeField } from "~/pages/endpoints/form/type-field";

export interface FieldsProps {
  draft: EndpointDraft;
  change: (part: Partial<EndpointDraft>) => void;
  errors: FieldError[];
  /** Null for a new one. */
  saved: Endpoint | null;
}

/** Registering an endpoint, and changing one: the same form. */
export function EndpointForm({ saved }: { saved: Endpoint | null }) {
  const navigate = useNavigate();
  const client = useQueryClient();
  const { form, goToFirst } = useFirstFault('[aria-invalid="true"], [data-fault], [role="alert"]', (fault) =>
    fault.querySelector<HTMLElement>("button"),
  );
  const { draft, change, faults, tried, refused, problem, saving, submit, unsaved } = useDraftForm({
    beginning: () => (saved === null ? EMPTY : draftOf(saved)),
    check: faultsOf,
    save: (written) =>
      saved === null ? createEndpoint(bodyOf(written)) : changeEndpoint(saved.id, bodyOf(written)),
    onSaved: (endpoint) => {
      client.setQueryData(endpointQuery(endpoint.id).queryKey, endpoint);
      void client.invalidateQueries({ queryKey: endpointsQuery.queryKey, exact: true });
      void client.invalidateQueries({ queryKey: ["credentials"] });
      notifications.show({
        message:
          endpoint.discovery_error === null
            ? `${endpoint.name}: ${counted(endpoint.tool_count, "tool")} discovered.`
            : `${endpoint.name} is saved, but its tools could not be discovered.`,
      });
      void navigate({
        to: "/endpoints/$endpointId",
        params: { endpointId: endpoint.id },
        ignoreBlocker: true,
      });
    },
    onFaults: goToFirst,
  });
  const errors = [...(tried ? faults : []), ...refused];

  const fields = { draft, change, errors, saved };
  const unplaced = refused.filter((fault) => !hasField(fault, draft));
  return (
    <Page
      title={saved === null ? "New endpoint" : `Edit ${saved.name}`}
      trail={[
        <TextLink key="endpoints" to="/endpoints">
          Endpoints
        </TextLink>,
        saved && (
          <TextLink
            key="endpoint"
            to="/endpoints/$endpointId"
            params={{ endpointId: saved.id }}
            truncate
            maw={320}
          >
            {saved.name}
          </TextLink>
        ),
      ].filter((link) => link !== null)}
      curl={[
        {
          what: saved === null ? "Register this endpoint" : "Save this endpoint",
          method: saved === null ? "POST" : "PUT",
          path: saved === null ? "/api/tool-endpoints" : `/api/tool-endpoints/${saved.id}`,
          body: shownBody(draft),
        },
      ]}
    >
      <LeaveGuard unsaved={unsaved} />
      <Paper withBorder bg="var(--ody-surface)" ref={form}>
        <FormSection title="Identity" about="Agents bind their tools to an endpoint by its name or its id.">
          <NameFields
            draft={draft}
            change={change}
            errors={errors}
            placeholder="orders-api"
            minRows={1}
            maxRows={8}
          />
        </FormSection>
        <FormSection title="What it is" about="By what the body of the tool does today.">
          <TypeField
            value={draft.type}
            onChange={saved === null ? (type) => change({ type }) : undefined}
            error={messageAt(errors, "type")}
          />
        </FormSection>
        <FormSection
          title="Where it is"
          about="Private addresses are refused unless the server was started to allow them. Redirects are not followed."
        >
          {draft.type === "mcp_server" ? (
            <TextInput
              label="URL of the MCP server"
              description="Streamable HTTP; the older transport, by custom at /sse, is not supported."
              placeholder="https://tools.example.com/mcp"
              inputMode="url"
              value={draft.url}
              onChange={({ currentTarget }) => change({ url: currentTarget.value })}
              error={messageAt(errors, "config", "url")}
              spellCheck={false}
              maw={640}
            />
          ) : (
            <OpenApiFields {...fields} />
          )}
        </FormSection>
        <FormSection
          title="How it is convinced"
          about="A secret is sent to this scheme, host and port and nowhere else."
        >
          <AuthFields {...fields} />
        </FormSection>
      </Paper>
      <SaveBar
        problems={errors.length - unplaced.length}
        refused={refused.length === 0 ? problem : unplaced[0] ? new Error(unplaced[0].msg) : null}
        note={
          draft.name.trim() === ""
            ? "Still needed: a name"
            : saving
              ? "Its tools are being discovered."
              : "Saving discovers its tools."
        }
        label={saved === null ? "Register and discover" : "Save and discover"}
        saving={saving}
        onSave={submit}
        onCancel={() =>
          void (saved === null
            ? navigate({ to: "/endpoints" })
            : navigate({ to: "/endpoints/$endpointId", params: { endpointId: saved.id } }))
        }
        onJump={goToFirst}
      />
    </Page>
  );
}

/** Whether a fault is shown at a field of the form as it stands. */
function hasField({ loc }: FieldError, { type, specFrom, auth }: EndpointDraft): boolean {
  const place = loc.join(".");
  const shown = [
    "name",
    "description",
    "type",
    ...(type === "mcp_server" ? ["config.url"] : ["config.base_url"]),
    ...(specFrom === "address" ? ["config.spec_url"] : specFrom === "text" ? ["config.spec"] : []),
    "config.auth",
    "config.auth.type",
    ...(auth === "none" ? [] : ["config.auth.secret", "config.auth.credential"]),
    ...(auth === "api_key" ? ["config.auth.header"] : []),
  ];
  return shown.includes(place);
}
