const WRITABLE = "input:not([type=hidden]), textarea, [contenteditable=true], button";

/** Brings the field at this path of a seed into view, and the cursor into it. */
export function showField(loc: (string | number)[]): void {
  const [member, index] = loc;
  const field = document.querySelector(`[data-field="${CSS.escape(String(member))}"]`);
  const place = (typeof index === "number" && field?.querySelectorAll("fieldset")[index]) || field;
  place?.scrollIntoView({ block: "center" });
  const wrong = place?.querySelector<HTMLElement>("[aria-invalid=true]");
  (wrong ?? place?.querySelector<HTMLElement>(WRITABLE))?.focus({ preventScroll: wrong === undefined });
}
