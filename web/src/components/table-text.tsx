import { Button, Group, Text, Textarea } from "@mantine/core";
import { IconFileText } from "@tabler/icons-react";
import { size } from "~/components/counted";
import classes from "~/components/table-text.module.css";

const SHOWN_AS_TEXT = 100_000;

interface TableTextProps {
  text: string;
  /** The file it comes from. */
  name: string | null;
  placeholder: string;
  label?: string;
  onChange: (text: string) => void;
}

/** A file's text to paste and change; what is long is only named. */
export function TableText({ text, name, placeholder, label = "CSV or JSON", onChange }: TableTextProps) {
  if (text.length > SHOWN_AS_TEXT) {
    return (
      <Group gap="xs" className={classes.file}>
        <IconFileText size={18} aria-hidden />
        <Text size="sm" style={{ overflowWrap: "anywhere" }}>
          {name ?? "Pasted text"}, {size(text.length)}
        </Text>
        <Button variant="subtle" size="compact-xs" ml="auto" onClick={() => onChange("")}>
          Take another
        </Button>
      </Group>
    );
  }
  return (
    <Textarea
      aria-label={label}
      autosize
      minRows={8}
      maxRows={18}
      placeholder={placeholder}
      classNames={{ input: classes.code ?? "" }}
      value={text}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
      spellCheck={false}
    />
  );
}
