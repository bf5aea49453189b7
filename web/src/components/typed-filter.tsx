import { TextInput } from "@mantine/core";
import { type ReactNode, useEffect, useRef, useState } from "react";

const TYPING_MS = 300;

interface TypedFilterProps {
  label: string;
  placeholder: string;
  value: string;
  onChange: (value: string) => void;
  icon?: ReactNode;
  w: object;
  maxLength: number;
  numeric?: boolean;
  filter?: boolean;
}

/** Follows the address, and writes to it when typing pauses. */
export function TypedFilter({ label, value, onChange, icon, numeric, filter, ...input }: TypedFilterProps) {
  const [written, setWritten] = useState(value);
  const sent = useRef(value);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => {
    if (value !== sent.current) setWritten(value);
    sent.current = value;
  }, [value]);
  useEffect(() => () => clearTimeout(timer.current), []);
  return (
    <TextInput
      aria-label={label}
      size="xs"
      value={written}
      leftSection={icon}
      inputMode={numeric ? "numeric" : "text"}
      data-filter={filter || undefined}
      onChange={({ currentTarget }) => {
        const next = numeric ? currentTarget.value.replace(/\D/g, "") : currentTarget.value;
        setWritten(next);
        clearTimeout(timer.current);
        timer.current = setTimeout(() => {
          sent.current = next;
          onChange(next);
        }, TYPING_MS);
      }}
      {...input}
    />
  );
}
