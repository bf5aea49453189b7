const INDENT = "  ";

/** JSON with a line per member. Only space changes: numbers and texts stay as they were written. */
export function tidy(text: string): string {
  const tokens = text.match(/"(?:[^"\\]|\\.)*"|[[\]{},:]|[^\s"[\]{},:]+/g);
  if (tokens === null || !isJson(text)) return text;
  let depth = 0;
  let written = "";
  const line = () => `\n${INDENT.repeat(depth)}`;
  tokens.forEach((token, at) => {
    const closesNothing = (token === "}" || token === "]") && /[[{]$/.test(tokens[at - 1] ?? "");
    if (token === "{" || token === "[") {
      depth += 1;
      written += tokens[at + 1] === "}" || tokens[at + 1] === "]" ? token : token + line();
    } else if (token === "}" || token === "]") {
      depth -= 1;
      written += closesNothing ? token : line() + token;
    } else if (token === ",") written += token + line();
    else written += token === ":" ? ": " : token;
  });
  return written;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
