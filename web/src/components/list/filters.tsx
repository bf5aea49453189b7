import { Button, Chip, Group, Select } from "@mantine/core";
import { IconFilterOff } from "@tabler/icons-react";
import type { ReactNode } from "react";

export interface Option {
  value: string;
  label: string;
}

interface ChoiceFilterProps {
  label: string;
  any: string;
  data: (Option | string)[];
  value: string | undefined;
  onChange: (value: string | null) => void;
  w: object;
  searchable?: boolean;
  nothingFound?: string;
}

/** One of some, or any. */
export function ChoiceFilter(props: ChoiceFilterProps) {
  const { label, any, data, value, onChange, w, searchable = false, nothingFound } = props;
  return (
    <Select
      aria-label={label}
      placeholder={any}
      size="xs"
      w={w}
      searchable={searchable}
      clearable
      clearButtonProps={{ "aria-label": any }}
      nothingFoundMessage={nothingFound}
      data={data}
      value={value ?? null}
      onChange={onChange}
    />
  );
}

interface NamedFilterProps
  extends Pick<ChoiceFilterProps, "label" | "any" | "w" | "nothingFound" | "searchable"> {
  choices: { id: number; name: string }[];
  value: number | undefined;
  onChange: (id: number | undefined) => void;
}

/** One of some that have ids and names. What is filtered by may have been deleted: then it has no name any more. */
export function NamedFilter({ choices, value, onChange, searchable = true, ...select }: NamedFilterProps) {
  const chosen = value === undefined ? undefined : String(value);
  const named = choices.map(({ id, name }) => ({ value: String(id), label: name }));
  return (
    <ChoiceFilter
      {...select}
      searchable={searchable}
      data={withChosen(named, chosen, (id) => `${select.label} ${id}`)}
      value={chosen}
      onChange={(id) => onChange(id === null ? undefined : Number(id))}
    />
  );
}

/** What the address names is offered even where the list does not have it. */
export function withChosen(
  options: Option[],
  value: string | undefined,
  name: (value: string) => string,
): Option[] {
  if (value === undefined || options.some((option) => option.value === value)) return options;
  return [...options, { value, label: name(value) }];
}

interface ChipsFilterProps {
  label: string;
  choices: readonly string[];
  value: string[];
  onChange: (chosen: string[]) => void;
}

/** Any number of some. */
export function ChipsFilter({ label, choices, value, onChange }: ChipsFilterProps) {
  return (
    <Chip.Group multiple value={value} onChange={onChange}>
      <Group gap={4} role="group" aria-label={label}>
        {choices.map((choice) => (
          <Chip key={choice} value={choice} size="xs" variant="outline" radius="sm">
            {choice}
          </Chip>
        ))}
      </Group>
    </Chip.Group>
  );
}

/** A filter that only addresses set; it can be taken away here. */
export function Only({ onClear, children }: { onClear: () => void; children: ReactNode }) {
  return (
    <Button size="compact-xs" variant="light" onClick={onClear}>
      {children} only ×
    </Button>
  );
}

export function ClearFilters({ onClear }: { onClear: () => void }) {
  return (
    <Button
      size="compact-xs"
      variant="subtle"
      color="gray"
      leftSection={<IconFilterOff size={14} />}
      onClick={onClear}
    >
      Clear filters
    </Button>
  );
}
