import { Button } from "@mantine/core";
import { IconTerminal2 } from "@tabler/icons-react";
import { forwardRef, lazy, Suspense, useState } from "react";
import { writeJson } from "~/api/json";
import classes from "~/components/curl.module.css";

const CurlPopover = lazy(() => import("~/components/curl-popover"));

export interface CurlRequest {
  what: string;
  method?: "GET" | "POST" | "PUT" | "DELETE";
  path: string;
  body?: unknown;
}

/** A path with what stands behind its `?`; a list is given once for each of its members. */
export function withQuery(path: string, query: object): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    [value].flat().map((each) => [name, String(each)]),
  );
  return `${path}?${new URLSearchParams(pairs)}`;
}

/** The page you are on, for a terminal. What it opens is fetched when it is asked for. */
export function Curl({ requests }: { requests: CurlRequest[] }) {
  const [asked, setAsked] = useState(false);
  if (requests.length === 0) return null;
  const button = <CurlButton onClick={() => setAsked(true)} />;
  return asked ? (
    <Suspense fallback={button}>
      <CurlPopover requests={requests} />
    </Suspense>
  ) : (
    button
  );
}

/** On a telephone the sign has to do. */
export const CurlButton = forwardRef<
  HTMLButtonElement,
  Omit<React.ComponentProps<typeof Button<"button">>, "ref">
>(function CurlButton(props, ref) {
  return (
    <Button {...props} ref={ref} variant="default" aria-label="curl" className={classes.button}>
      <IconTerminal2 size={15} aria-hidden />
      <span className={classes.word}>curl</span>
    </Button>
  );
});

export function curlCommand({ method = "GET", path, body }: CurlRequest): string {
  const verb = method === "GET" ? "" : ` -X ${method}`;
  const parts = [
    `curl -s${verb} ${quoted(window.location.origin + path)}`,
    '-H "Authorization: Bearer $ODYSSEY_API_KEY"',
  ];
  if (body !== undefined) {
    parts.push("-H 'Content-Type: application/json'", `-d ${quoted(writeJson(body, 0))}`);
  }
  return parts.join(" \\\n  ");
}

/** Safe in a POSIX shell whatever the text holds. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
