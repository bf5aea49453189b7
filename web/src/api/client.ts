import createClient, { type Middleware } from "openapi-fetch";
import { readJson, writeJson } from "~/api/json";
import { Problem } from "~/api/problem";
import type { components, paths } from "~/api/schema";
import { csrfToken, rememberCsrf, sessionLost } from "~/api/session";

export type Schemas = components["schemas"];

const UNSAFE = new Set(["POST", "PUT", "PATCH", "DELETE"]);

const session: Middleware = {
  onRequest({ request }) {
    const token = csrfToken();
    if (token !== null && UNSAFE.has(request.method)) request.headers.set("X-CSRF-Token", token);
    return request;
  },
  async onResponse({ response }) {
    const renewed = response.headers.get("X-CSRF-Token");
    if (renewed !== null) rememberCsrf(renewed);
    if (response.ok) return undefined;
    const problem = await Problem.from(response);
    if (response.status === 401) sessionLost();
    throw problem;
  },
};

/** Typed by the server's own description. Every failure is thrown as a `Problem`. */
export const api = createClient<paths>({
  baseUrl: window.location.origin,
  fetch: losslessFetch,
  bodySerializer: (body) => writeJson(body, 0),
});
api.use(session);

/** The data of an answer: `await data(api.GET("/api/agents"))`. */
export async function data<T>(answer: Promise<{ data?: T }>): Promise<T> {
  return (await answer).data as T;
}

/** Integers beyond 2^53, such as random seeds, must arrive as they were sent. */
async function losslessFetch(request: Request): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(request);
  } catch (error) {
    throw Problem.unreachable(error);
  }
  response.json = async () => readJson(await response.text());
  return response;
}
