/** Where to go after signing in: a path of this site that somebody may have tampered with, or the start page. */
export function nextPath(wanted: string | undefined, origin: string): string {
  if (wanted === undefined || !/^\/(?![/\\])/.test(wanted) || wanted.includes("\\")) return "/";
  try {
    const url = new URL(wanted, origin);
    if (url.origin !== origin || url.pathname === "/signin") return "/";
    return url.pathname + url.search + url.hash;
  } catch {
    return "/";
  }
}
