import { Box, Button, FileButton } from "@mantine/core";
import { IconUpload } from "@tabler/icons-react";
import { type DragEvent, type ReactNode, useRef, useState } from "react";
import { size } from "~/components/counted";
import classes from "~/components/file-drop.module.css";

const LARGEST_BYTES = 8_000_000;

export interface TakesFile {
  take: (file: File | null) => void;
  /** Why the last file was not read. */
  problem: string | null;
  forget: () => void;
}

/** The text of a file that is dropped or chosen, for `FileDrop` and `ChooseFile`. */
export function useFile(onText: (text: string, name: string) => void, largest = LARGEST_BYTES): TakesFile {
  const [problem, setProblem] = useState<string | null>(null);
  const newest = useRef<File | null>(null);

  async function read(file: File) {
    newest.current = file;
    if (file.size > largest) return setProblem(`${file.name} is larger than ${size(largest)}.`);
    const bytes = await file.arrayBuffer();
    if (newest.current !== file) return;
    const text = decoded(bytes);
    if (text === null)
      return setProblem(`${file.name} is not text in UTF-8. Save it as UTF-8 and try again.`);
    setProblem(null);
    onText(text, file.name);
  }

  return {
    take: (file) => file && void read(file),
    problem,
    forget: () => {
      newest.current = null;
      setProblem(null);
    },
  };
}

function decoded(bytes: ArrayBuffer): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** Whatever stands in it also takes a dropped file. */
export function FileDrop({ file, children }: { file: TakesFile; children: ReactNode }) {
  const [over, setOver] = useState(false);
  const holdsFile = (event: DragEvent) => event.dataTransfer.types.includes("Files");
  return (
    <Box
      className={over ? (classes.dropping ?? "") : ""}
      onDragOver={(event) => {
        if (!holdsFile(event)) return;
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setOver(false);
      }}
      onDrop={(event) => {
        setOver(false);
        const dropped = event.dataTransfer.files[0];
        if (!dropped) return;
        event.preventDefault();
        file.take(dropped);
      }}
    >
      {children}
    </Box>
  );
}

const ACCEPTED = {
  json: ".json,application/json",
  table: ".csv,.json,text/csv,application/json",
  yaml: ".yaml,.yml,.json,application/yaml,application/json",
};

interface ChooseFileProps {
  file: TakesFile;
  of: keyof typeof ACCEPTED;
  children: string;
}

export function ChooseFile({ file, of, children }: ChooseFileProps) {
  return (
    <FileButton accept={ACCEPTED[of]} onChange={file.take}>
      {(button) => (
        <Button {...button} variant="default" size="compact-xs" leftSection={<IconUpload size={13} />}>
          {children}
        </Button>
      )}
    </FileButton>
  );
}
