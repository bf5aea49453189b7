import classes from "~/components/command-line.module.css";
import { Copy } from "~/components/copy";

/** One command to type in a terminal, or to copy. */
export function CommandLine({ command }: { command: string }) {
  return (
    <div className={classes.line}>
      <code>{command}</code>
      <Copy value={command} what={command} />
    </div>
  );
}
