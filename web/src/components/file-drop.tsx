import { Box } from "@mantine/core";
import { type DragEvent, type ReactNode, useState } from "react";
import classes from "~/components/file-drop.module.css";

const LARGEST_BYTES = 8 * 1024 * 1024;

/** A file's text, or a sentence on why it is not read. */
export async function readFile(file: File): Promise<{ text: string } | { problem: string }> {
  if (file.size > LARGEST_BYTES) return { problem: `${file.name} is larger than 8 MiB.` };
  return { text: await file.text() };
}

/** Whatever stands in it also takes a dropped file. */
export function FileDrop({ onFile, children }: { onFile: (file: File) => void; children: ReactNode }) {
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
        const file = event.dataTransfer.files[0];
        if (!file) return;
        event.preventDefault();
        onFile(file);
      }}
    >
      {children}
    </Box>
  );
}
