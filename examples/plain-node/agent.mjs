// An agent in Node 18 or newer, without dependencies. Copy this file and put your own agent where `runAgent` is.
import { createHash, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

const { AGENT_TOKEN, PORT = "9000" } = process.env;
if (!AGENT_TOKEN) throw new Error("AGENT_TOKEN is not set.");
const MAX_BODY_BYTES = 4 * 1024 * 1024;

const digest = (text) => createHash("sha256").update(text).digest(); // equal lengths for timingSafeEqual
const refusal = (status, detail) => Object.assign(new Error(detail), { status });

async function runAgent(instruction, callTool) {
  const lookups = { get_order: ["order_id", /\bord_\w+/], get_customer: ["customer_id", /\bcust_\w+/] };
  const found = [];
  for (const [tool, [argument, pattern]] of Object.entries(lookups)) {
    const id = instruction.match(pattern)?.[0];
    if (id) found.push(`${id}: ${JSON.stringify(await callTool(tool, { [argument]: id }))}`);
  }
  return found.join("\n");
}

async function askProxy(url, runToken, args) {
  const headers = { Authorization: `Bearer ${runToken}`, "Content-Type": "application/json" };
  for (let attempt = 0; ; attempt += 1) {
    const signal = AbortSignal.timeout(120_000);
    let answer, body;
    try {
      answer = await fetch(url, { method: "POST", headers, body: JSON.stringify(args), signal });
      body = await answer.json();
    } catch (failure) {
      return { error: `no readable answer: ${failure.name}` };
    }
    if (answer.ok) return body.response; // the rest of the envelope is for the trace
    if (attempt === 3 || !(answer.status === 429 || body.retryable)) return { error: body };
    await sleep(1000 * Number(answer.headers.get("retry-after") ?? 0.5 * 2 ** attempt));
  }
}

async function readJson(request) {
  const chunks = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) throw refusal(413, "The body is too large.");
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString("utf8"));
  } catch {
    throw refusal(400, "The body is not JSON.");
  }
}

async function dispatch(request) {
  if (request.method !== "POST" || request.url !== "/dispatch") throw refusal(404, "POST to /dispatch.");
  // Who is calling? Before anything else, so that a wrong token is a 401 on the ping too.
  const given = digest(request.headers.authorization ?? "");
  if (!timingSafeEqual(given, digest(`Bearer ${AGENT_TOKEN}`))) throw refusal(401, "Wrong or no Authorization.");
  const body = (await readJson(request)) ?? {};
  if (body.ping === true && Object.keys(body).length === 1) return { ok: true };
  const proxyUrl = body.odyssey_proxy_url || request.headers["x-pipelines-odyssey-proxy-url"];
  const runToken = request.headers["x-pipelines-run-token"];
  if (!proxyUrl || !runToken) throw refusal(400, "The proxy URL or the run token is missing.");
  // Tools belong to this request, because the next run has another token.
  const callTool = (name, args) => askProxy(`${proxyUrl.replace(/\/+$/, "")}/tools/${name}`, runToken, args);
  const finalResponse = await runAgent(String(body.input?.user_instruction ?? ""), callTool);
  return { final_response: finalResponse || "I found nothing to look up." }; // an empty answer fails the run
}

const server = createServer(async (request, response) => {
  const [status, answer] = await dispatch(request).then(
    (value) => [200, value],
    (error) => [error.status ?? 500, { detail: error.status ? error.message : "The agent failed." }],
  );
  if (!request.complete) response.setHeader("Connection", "close"); // a body nobody will read
  response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(answer));
});
server.listen(Number(PORT), "127.0.0.1", () => {
  console.log(`The agent listens at http://127.0.0.1:${server.address().port}/dispatch`);
});
