import { UnstyledButton } from "@mantine/core";
import { type KeyboardEvent, useRef } from "react";
import type { WorldSummary } from "~/api/worlds";
import { Panel } from "~/components/page";
import { type Edit, kindOfEdit } from "~/pages/worlds/entities/edits";
import classes from "~/pages/worlds/entities/entities.module.css";

export interface TypeCount {
  name: string;
  count: number;
  edited: number;
}

/** Every type of the world and of the edits, by name, with what it will hold. */
export function typesOf(counts: WorldSummary["entity_counts"], edits: Edit[]): TypeCount[] {
  const names = new Set([...Object.keys(counts), ...edits.map((edit) => edit.entity_type)]);
  return [...names].sort().map((name) => {
    const own = edits.filter((edit) => edit.entity_type === name);
    const added = own.filter((edit) => kindOfEdit(edit) === "added").length;
    const removed = own.filter((edit) => kindOfEdit(edit) === "removed").length;
    return {
      name,
      count: (Object.hasOwn(counts, name) ? (counts[name] ?? 0) : 0) + added - removed,
      edited: own.length,
    };
  });
}

interface TypeListProps {
  types: TypeCount[];
  chosen: string;
  onChoose: (type: string) => void;
}

export function TypeList({ types, chosen, onChoose }: TypeListProps) {
  const list = useRef<HTMLUListElement>(null);

  function walk(event: KeyboardEvent) {
    const step = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 }[event.key];
    const next = step && types[types.findIndex(({ name }) => name === chosen) + step];
    if (!next) return;
    event.preventDefault();
    onChoose(next.name);
    list.current?.querySelector<HTMLElement>(`[data-type="${CSS.escape(next.name)}"]`)?.focus();
  }

  return (
    <Panel flush style={{ alignSelf: "start", minWidth: 0 }}>
      <ul ref={list} className={classes.types} aria-label="Entity types">
        {types.map(({ name, count, edited }) => (
          <li key={name}>
            <UnstyledButton
              className={classes.type}
              data-type={name}
              aria-current={name === chosen}
              onClick={() => onChoose(name)}
              onKeyDown={walk}
            >
              <span className={classes.typeName} title={name}>
                {name}
              </span>
              {edited > 0 && (
                <span
                  className={classes.dot}
                  role="img"
                  aria-label={`${edited} unsaved`}
                  title={`${edited} unsaved`}
                />
              )}
              <span className={classes.number}>{count.toLocaleString("en")}</span>
            </UnstyledButton>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
