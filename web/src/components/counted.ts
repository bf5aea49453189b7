/** "1 entity", "2,104 entities" */
export function counted(count: number, one: string, many = `${one}s`): string {
  return count === 1 ? `1 ${one}` : `${count.toLocaleString("en")} ${many}`;
}

/** "a, b and c" */
export function listed(parts: string[]): string {
  return parts.length > 1 ? `${parts.slice(0, -1).join(", ")} and ${parts.at(-1)}` : (parts[0] ?? "");
}

/** "1.4 MB" */
export function size(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  if (bytes < 1_000_000) return `${shown(bytes / 1_000)} kB`;
  return `${shown(bytes / 1_000_000)} MB`;
}

function shown(number: number): string {
  return number < 10 ? number.toFixed(1) : Math.round(number).toLocaleString("en");
}
