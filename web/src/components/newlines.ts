/** A text as an editor holds it: its lines end with \n, however they ended. */
export function withNewlines(text: string): string {
  return text.replace(/\r\n?/g, "\n");
}
