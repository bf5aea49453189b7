import {
  Autocomplete,
  Button,
  Group,
  Input,
  NativeSelect,
  SegmentedControl,
  Stack,
  Text,
} from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useRef } from "react";
import { type EndpointTool, endpointQuery, endpointsQuery } from "~/api/endpoints";
import { writeJson } from "~/api/json";
import { errorsAt, type FieldError } from "~/api/problem";
import type { Mode } from "~/components/mode-badge";
import { modeOf } from "~/components/mode-badge";
import { TextLink } from "~/components/page";
import { isObject, type JsonObject } from "~/components/rules/json-text";
import { AdapterField } from "~/pages/agents/form/adapter-field";
import classes from "~/pages/agents/form/form.module.css";
import { ModeHelp } from "~/pages/agents/mode-help";
import {
  type Binding,
  bindingOf,
  inMode,
  liveOnly,
  POLICIES,
  POLICY_NAMES,
  writtenBinding,
} from "~/pages/agents/passthrough";

interface ExecutionFieldsProps {
  /** The tool as it is written; undefined while it is not JSON. */
  tool: unknown;
  name: string;
  onWrite: (text: string) => void;
  /** By path inside the tool. */
  faults: FieldError[];
}

/** Who answers a tool; of a passthrough tool, which live one, and what the ledger learns of it. */
export function ExecutionFields({ tool, name, onWrite, faults }: ExecutionFieldsProps) {
  const left = useRef<JsonObject>({});
  if (!isObject(tool)) return null;
  const mode = modeOf(tool);

  function write(next: JsonObject) {
    onWrite(writeJson(next));
  }

  function change(next: Mode) {
    if (!isObject(tool) || next === mode) return;
    // What only a live tool may have comes back with it.
    if (next === "sandbox") left.current = liveOnly(tool);
    const binding = isObject(tool.passthrough_binding) ? {} : { passthrough_binding: emptyBinding(tool) };
    write(next === "sandbox" ? inMode(tool, next) : { ...inMode(tool, next), ...binding, ...left.current });
  }

  return (
    <Stack gap="sm" className={classes.execution}>
      <Input.Wrapper label="Who answers" labelElement="div">
        <Group gap="sm">
          <SegmentedControl
            size="xs"
            aria-label={`Who answers ${name}`}
            data={["sandbox", "passthrough"]}
            value={mode}
            onChange={(next) => change(next === "passthrough" ? "passthrough" : "sandbox")}
          />
          <Text size="xs" c="var(--ody-text-dim)">
            {mode === "sandbox" ? "The simulated world." : "The live tool, verbatim and with real effects."}
          </Text>
        </Group>
      </Input.Wrapper>
      <ModeHelp />
      {mode === "passthrough" && (
        <>
          <BindingFields tool={tool} name={name} write={write} faults={faults} />
          <PolicyFields tool={tool} name={name} write={write} faults={faults} />
        </>
      )}
    </Stack>
  );
}

function emptyBinding(tool: JsonObject): JsonObject {
  return writtenBinding({ endpoint: "", tool: typeof tool.name === "string" ? tool.name : "" });
}

interface FieldsProps {
  tool: JsonObject;
  name: string;
  write: (tool: JsonObject) => void;
  faults: FieldError[];
}

function BindingFields({ tool, name, write, faults }: FieldsProps) {
  const binding = bindingOf(tool.passthrough_binding);
  const { data: endpoints = [] } = useQuery(endpointsQuery);
  const endpoint = endpoints.find(({ id, name: called }) => [id, called].includes(binding.endpoint));
  const { data: found } = useQuery({ ...endpointQuery(endpoint?.id ?? ""), enabled: endpoint !== undefined });
  const tools: EndpointTool[] = (endpoint && found?.tools) || [];
  const live = tools.find((each) => each.name === binding.tool);
  const wrong = (...members: string[]) =>
    members.some((member) => errorsAt(faults, "passthrough_binding", member).length > 0);

  function change(part: Partial<Binding>) {
    write({ ...tool, passthrough_binding: writtenBinding({ ...binding, ...part }) });
  }

  return (
    <div className={classes.bound}>
      <Autocomplete
        size="xs"
        label="Endpoint"
        aria-label={`Endpoint of ${name}`}
        description={
          endpoints.length === 0 ? (
            <>
              None is registered yet.{" "}
              <TextLink to="/endpoints/new" size="xs" underline="always">
                Register one
              </TextLink>
            </>
          ) : (
            "Its name, or its id."
          )
        }
        data={endpoints.map((each) => each.name)}
        value={endpoint?.name ?? binding.endpoint}
        onChange={(value) => change({ endpoint: value })}
        error={wrong("endpoint_name", "endpoint_id")}
        spellCheck={false}
      />
      <Autocomplete
        size="xs"
        label="Tool"
        aria-label={`Live tool of ${name}`}
        description={endpoint ? `${tools.length} discovered there.` : "As the endpoint names it."}
        data={tools.map((each) => each.name)}
        limit={50}
        value={binding.tool}
        onChange={(value) => change({ tool: value })}
        error={wrong("tool_name")}
        spellCheck={false}
      />
      {live && (
        <Group gap="xs" className={classes.wide}>
          <Button
            variant="default"
            size="compact-xs"
            onClick={() =>
              write({
                ...tool,
                input_schema: live.input_schema,
                ...(live.output_schema && { output_schema: live.output_schema }),
              })
            }
          >
            Take its schemas
          </Button>
          <Text size="xs" c="var(--ody-text-dim)" lineClamp={2} flex={1}>
            {live.description}
          </Text>
        </Group>
      )}
    </div>
  );
}

function PolicyFields({ tool, name, write, faults }: FieldsProps) {
  const policy = typeof tool.ledger_write_policy === "string" ? tool.ledger_write_policy : "record_only";

  function change(next: string) {
    const { ledger_adapter: adapter, ...rest } = tool;
    const members = next === "adapter" && adapter !== undefined ? { ledger_adapter: adapter } : {};
    write({ ...rest, ledger_write_policy: next, ...members });
  }

  return (
    <>
      <NativeSelect
        size="xs"
        label="Writes to the ledger"
        aria-label={`Ledger policy of ${name}`}
        description={POLICIES[policy]}
        inputWrapperOrder={["label", "input", "error", "description"]}
        data={[...new Set([...POLICY_NAMES, policy])]}
        value={policy}
        onChange={({ currentTarget }) => change(currentTarget.value)}
        error={errorsAt(faults, "ledger_write_policy").length > 0}
        maw={320}
      />
      {policy === "adapter" && (
        <AdapterField
          name={name}
          adapter={tool.ledger_adapter}
          onChange={(adapter) => write({ ...tool, ledger_adapter: adapter })}
          faults={faults}
        />
      )}
    </>
  );
}
