import { withNewlines } from "~/components/newlines";

/** Whether a line goes on with the one above: indented ones do. */
export function isContinued(text: string): boolean {
  return /^\s+\S/.test(text);
}

/** A line by its number, with those that continue it; empty where there is none. */
export function lineText(text: string, number: number): string {
  const [first = "", ...rest] = withNewlines(text)
    .split("\n")
    .slice(number - 1);
  const end = rest.findIndex((line) => !isContinued(line));
  return [first, ...rest.slice(0, end < 0 ? rest.length : end)].join("\n");
}
