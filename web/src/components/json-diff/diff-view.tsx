import { Text, UnstyledButton, VisuallyHidden } from "@mantine/core";
import { useState } from "react";
import { writeJson } from "~/api/json";
import { ToneBadge } from "~/components/badges";
import classes from "~/components/json-diff/diff-view.module.css";
import type { Change } from "~/components/json-diff/json-diff";
import { LongText } from "~/components/json-view";

const LINES_SHOWN = 8;

/** Differences by the thing they are about: a tool, an entity type, the config, a member of a scenario. */
export function DiffView({ changes }: { changes: Change[] }) {
  if (changes.length === 0) {
    return (
      <Text size="sm" c="var(--ody-text-dim)">
        Nothing differs.
      </Text>
    );
  }
  const groups = bySubject(changes);
  return (
    <div className={classes.groups}>
      {[...groups].map(([title, members]) => (
        <section key={title} className={classes.group} aria-label={title}>
          <h3 className={classes.title}>
            <span>{title}</span>
            {members.length === 1 && subjectOf(members[0]?.path ?? []).rest.length === 0 && (
              <KindBadge kind={members[0]?.kind ?? "changed"} />
            )}
          </h3>
          {members.map((change) => (
            <OneChange key={`${change.kind} ${change.path.join("/")}`} change={change} />
          ))}
        </section>
      ))}
    </div>
  );
}

function bySubject(changes: Change[]): Map<string, Change[]> {
  const groups = new Map<string, Change[]>();
  for (const change of changes) {
    const { title } = subjectOf(change.path);
    groups.set(title, [...(groups.get(title) ?? []), change]);
  }
  return groups;
}

const KIND_TONE = { added: "green", removed: "red", changed: "amber", reordered: "neutral" } as const;

function KindBadge({ kind }: { kind: Change["kind"] }) {
  return <ToneBadge tone={KIND_TONE[kind]}>{kind}</ToneBadge>;
}

function OneChange({ change }: { change: Change }) {
  const { rest } = subjectOf(change.path);
  return (
    <div className={classes.change}>
      {rest.length > 0 && (
        <div className={classes.path}>
          <span>{rest.join(".")}</span> <KindBadge kind={change.kind} />
        </div>
      )}
      {"before" in change && <Side sign="−" value={change.before} name="before" />}
      {"after" in change && <Side sign="+" value={change.after} name="after" />}
    </div>
  );
}

function Side({ sign, value, name }: { sign: "−" | "+"; value: unknown; name: string }) {
  return (
    <div className={classes.side} data-side={name}>
      <span aria-hidden>{sign}</span>
      <span>
        <VisuallyHidden>{name}: </VisuallyHidden>
        <Folded text={shownValue(value)} />
      </span>
    </div>
  );
}

/** A whole tool is many lines; its first ones tell which it is. */
function Folded({ text }: { text: string }) {
  const [whole, setWhole] = useState(false);
  const lines = text.split("\n");
  if (whole || lines.length <= LINES_SHOWN * 1.5) return <LongText text={text} />;
  return (
    <>
      <LongText text={lines.slice(0, LINES_SHOWN).join("\n")} />
      <UnstyledButton className={classes.more} onClick={() => setWhole(true)}>
        Show all {lines.length} lines
      </UnstyledButton>
    </>
  );
}

/** Short values on one line, as a person would write them. */
function shownValue(value: unknown): string {
  if (typeof value === "string") return value === "" ? '""' : value;
  const line = writeJson(value, 0);
  return line.length <= 80 ? line : writeJson(value);
}

function subjectOf(path: Change["path"]): { title: string; rest: Change["path"] } {
  const [top, second, third, ...rest] = path;
  if (top === "tools_schema") {
    if (second === undefined) return { title: "Tools", rest: [] };
    return { title: `Tool ${second}`, rest: path.slice(2) };
  }
  if (top === "ledger_schema" && second === "entities" && third !== undefined) {
    return { title: `Entity type ${third}`, rest };
  }
  if (top === "ledger_schema") return { title: "Ledger schema", rest: path.slice(1) };
  if (top === "config") return { title: "Config", rest: path.slice(1) };
  return { title: TITLES[String(top)] ?? String(top), rest: path.slice(1) };
}

const TITLES: Record<string, string> = {
  name: "Name",
  description: "Description",
  mode: "Mode",
  risk_level: "Risk",
  tags: "Tags",
  user_instruction: "Instruction",
  input_context: "Input",
  expected_behavior: "Expected behaviour",
  world_id: "World",
  agent_id: "Agent",
};
