export interface FieldError {
  loc: (string | number)[];
  msg: string;
  tool?: string | null;
}

/** An error as the server tells it (RFC 9457), or what stands in its place when it cannot be reached. */
export class Problem extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    readonly title: string,
    readonly detail: string,
    readonly errors: FieldError[] = [],
    readonly requestId: string | null = null,
    /** After how many seconds to ask again, if the server says so. */
    readonly retryAfter: number | null = null,
  ) {
    super(detail);
    this.name = "Problem";
  }

  static async from(response: Response): Promise<Problem> {
    const requestId = response.headers.get("x-request-id");
    const retryAfter = Number(response.headers.get("retry-after")) || null;
    try {
      const body = JSON.parse(await response.text());
      const title = String(body.title ?? response.statusText);
      return new Problem(
        response.status,
        String(body.code ?? "unknown"),
        title,
        String(body.detail ?? title),
        Array.isArray(body.errors) ? body.errors : [],
        requestId,
        retryAfter,
      );
    } catch {
      const detail = `The server answered ${response.status} without a description.`;
      return new Problem(response.status, "unknown", response.statusText, detail, [], requestId, retryAfter);
    }
  }

  static unreachable(cause: unknown): unknown {
    if (cause instanceof DOMException && cause.name === "AbortError") return cause;
    return new Problem(0, "unreachable", "No answer", "The server cannot be reached. Is it still running?");
  }
}

export function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  const detail = error instanceof Error ? error.message : String(error);
  return new Problem(0, "unexpected", "Something went wrong here", detail);
}

/** The errors at one place of a form, and below it. */
export function errorsAt(errors: FieldError[], ...path: (string | number)[]): FieldError[] {
  return errors.filter(
    (error) => path.length <= error.loc.length && path.every((part, i) => error.loc[i] === part),
  );
}

/** The same errors as seen from that place: their paths begin below it. */
export function errorsBelow(errors: FieldError[], ...path: (string | number)[]): FieldError[] {
  return errorsAt(errors, ...path).map((error) => ({ ...error, loc: error.loc.slice(path.length) }));
}

/** The first message at exactly this place, for an input's `error`; the field need not be named once more. */
export function messageAt(errors: FieldError[], ...path: (string | number)[]): string | null {
  const error = errors.find((e) => e.loc.length === path.length && path.every((p, i) => e.loc[i] === p));
  if (error === undefined) return null;
  const name = `${path.join(".")}: `;
  const words = error.msg.startsWith(name) ? error.msg.slice(name.length) : error.msg;
  return words.charAt(0).toUpperCase() + words.slice(1);
}
