/** What the browser holds about its session; the cookie itself is out of reach of scripts. */
let csrf: string | null = null;
const listeners = new Set<() => void>();

export function csrfToken(): string | null {
  return csrf;
}

export function rememberCsrf(token: string | null): void {
  csrf = token;
}

/** Called on every 401: whoever shows the page decides where to go. */
export function sessionLost(): void {
  csrf = null;
  for (const listener of listeners) listener();
}

export function onSessionLost(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
