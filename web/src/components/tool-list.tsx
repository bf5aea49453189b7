import { Text, TextInput, UnstyledButton } from "@mantine/core";
import { IconSearch } from "@tabler/icons-react";
import { type KeyboardEvent, type ReactNode, useRef } from "react";
import { Panel } from "~/components/page";
import classes from "~/components/tool-list.module.css";

/** More than anybody reads through; the others are found by typing. */
const MOST_SHOWN = 400;

interface Named {
  name: string;
  description: string;
}

interface ToolListProps<Tool extends Named> {
  tools: Tool[];
  /** The name in the address. */
  chosen: string | undefined;
  q: string;
  onSearch: (change: { tool?: string | undefined; q?: string | undefined }) => void;
  /** Right of a name. */
  mark: (tool: Tool) => ReactNode;
  /** One of them in full. */
  children: (tool: Tool) => ReactNode;
}

/** All tools on the left, one of them in full on the right. */
export function ToolList<Tool extends Named>(props: ToolListProps<Tool>) {
  const { tools, chosen, q, onSearch, mark, children } = props;
  const list = useRef<HTMLUListElement>(null);
  const shown = tools.filter((tool) => fits(tool, q));
  const selected = tools.find((tool) => tool.name === chosen) ?? shown[0];

  function walk(event: KeyboardEvent) {
    const step = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 }[event.key];
    const next = step && shown[shown.findIndex((tool) => tool.name === selected?.name) + step];
    if (!next) return;
    event.preventDefault();
    onSearch({ tool: next.name });
    list.current?.querySelector<HTMLElement>(`[data-tool="${CSS.escape(next.name)}"]`)?.focus();
  }

  return (
    <div className={classes.split}>
      <Panel flush style={{ alignSelf: "start", minWidth: 0 }}>
        <TextInput
          data-filter
          size="xs"
          variant="unstyled"
          aria-label="Filter tools"
          placeholder={`Filter ${tools.length} tools`}
          leftSection={<IconSearch size={14} />}
          className={classes.filter ?? ""}
          value={q}
          onChange={(event) => onSearch({ q: event.currentTarget.value || undefined })}
        />
        <ul ref={list} className={classes.list} aria-label="Tools">
          {shown.slice(0, MOST_SHOWN).map((tool) => (
            <li key={tool.name}>
              <UnstyledButton
                className={classes.item}
                data-tool={tool.name}
                aria-current={tool.name === selected?.name}
                onClick={() => onSearch({ tool: tool.name })}
                onKeyDown={walk}
              >
                <span className={classes.name}>{tool.name}</span>
                {mark(tool)}
              </UnstyledButton>
            </li>
          ))}
        </ul>
        {shown.length > MOST_SHOWN && (
          <Text size="xs" c="var(--ody-text-dim)" p="sm">
            And {(shown.length - MOST_SHOWN).toLocaleString("en")} more: type a part of the name.
          </Text>
        )}
        {shown.length === 0 && (
          <Text size="sm" c="var(--ody-text-dim)" p="sm">
            No tool has this text in its name or description.
          </Text>
        )}
      </Panel>
      {selected && children(selected)}
    </div>
  );
}

function fits(tool: Named, q: string): boolean {
  const sought = q.trim().toLowerCase();
  return [tool.name, tool.description].some((text) => text.toLowerCase().includes(sought));
}

/** One part of what is said about a tool. */
export function ToolPart({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div>
      <Text component="h3" size="xs" fw={600} c="var(--ody-text-dim)" mb={4}>
        {title}
      </Text>
      {children}
    </div>
  );
}
