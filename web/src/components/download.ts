import { writeJson } from "~/api/json";

/** Hands a JSON document to the browser as a file. */
export function downloadJson(value: unknown, name: string): void {
  const address = URL.createObjectURL(new Blob([writeJson(value)], { type: "application/json" }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  URL.revokeObjectURL(address);
}
