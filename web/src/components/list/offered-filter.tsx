import { Autocomplete } from "@mantine/core";
import { useEffect, useState } from "react";

interface OfferedFilterProps {
  label: string;
  any: string;
  w: object;
  maxLength?: number;
  /** What there is to choose from; other values may be written as well. */
  offered: string[];
  isValid: (written: string) => boolean;
  value: string;
  onChange: (value: string) => void;
}

/** A value that is chosen or written; it holds once it is complete. */
export function OfferedFilter(props: OfferedFilterProps) {
  const { label, any, w, maxLength, offered, isValid, value, onChange } = props;
  const [written, setWritten] = useState(value);
  useEffect(() => setWritten(value), [value]);
  const commit = (next: string) => next !== value && (next === "" || isValid(next)) && onChange(next);
  return (
    <Autocomplete
      aria-label={label}
      placeholder={any}
      size="xs"
      w={w}
      {...(maxLength !== undefined && { maxLength })}
      clearable
      clearButtonProps={{ "aria-label": any }}
      data={offered}
      value={written}
      error={written !== "" && !isValid(written)}
      onChange={(next) => {
        setWritten(next);
        if (next === "" || offered.includes(next)) commit(next);
      }}
      onBlur={() => commit(written)}
      onKeyDown={(event) => event.key === "Enter" && commit(written)}
    />
  );
}
