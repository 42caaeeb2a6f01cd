import { randomUUID } from "node:crypto";
import { createMcpHandler } from "@modelcontextprotocol/server";
import type { ExtensionContext, ExtensionRequest, ExtensionResponse } from "swarmbase/extension";
import { cancelStartedRun, clientMessageId } from "./cancel-run.ts";
import { createServer } from "./create-server.ts";
import { requireToolScopes, STREAMED_TOOLS } from "./tools/index.ts";

/** What the library reads. The bearer stays outside. */
const FORWARDED = /^(?:accept|content-type|last-event-id|mcp-.*)$/;
const RETURNED = ["content-type", "cache-control", "allow"];
const SESSION_HEADER = "mcp-session-id";
const SESSION_ID = /^[\w-]{1,64}$/;
const KEEP_ALIVE_MS = 10_000;

/** The part of a JSON-RPC message that decides how it is served. */
interface Message {
  readonly id?: unknown;
  readonly method?: unknown;
  readonly params?: { readonly name?: unknown; readonly requestId?: unknown };
}

/** Serves one HTTP request. Nothing is kept between requests, so any node can serve any request. */
export async function serveRequest(
  request: ExtensionRequest,
  context: ExtensionContext,
  url: string,
): Promise<ExtensionResponse> {
  const message = parseMessage(request.body);
  if (message === "batch") return reject(400, -32_600, "Batches are not supported");
  const sessionId = readSessionId(request);
  const { version, fail, connectUrl } = context;
  const caller = { ...request.caller, core: request.core, version, fail, connectUrl };
  if (message?.method === "notifications/cancelled" && sessionId !== null)
    await cancelStartedRun(caller, clientMessageId(sessionId, message.params?.requestId));

  const toolName = message?.method === "tools/call" ? String(message.params?.name) : null;
  // Before the library answers: a tool that fails is a result with the status 200, which asks for no scope.
  if (toolName !== null && caller.client !== undefined) requireToolScopes(caller, toolName);
  const isStreamed = toolName !== null && STREAMED_TOOLS.has(toolName);
  const handler = createMcpHandler(
    () => createServer(caller, sessionId === null ? null : clientMessageId(sessionId, message?.id)),
    { keepAliveMs: KEEP_ALIVE_MS, ...(isStreamed && { responseMode: "sse" }) },
  );
  const response = await handler.fetch(toWebRequest(request, url));
  const { status, headers } = response;
  const returned: Record<string, string> = {};
  for (const name of RETURNED) {
    const value = headers.get(name);
    if (value !== null) returned[name] = value;
  }
  // Older clients name a request that they cancel by its id, which is unique only within a session.
  if (message?.method === "initialize" && status === 200) returned[SESSION_HEADER] = randomUUID();
  if (response.body !== null && returned["content-type"]?.startsWith("text/event-stream"))
    return { status, headers: returned, stream: response.body as unknown as AsyncIterable<Uint8Array> };
  const body = Buffer.from(await response.arrayBuffer());
  return { status, headers: returned, body: body.length === 0 ? undefined : body };
}

/** Null when the body is no JSON object; the library answers that. */
function parseMessage(body: unknown): Message | "batch" | null {
  if (!Buffer.isBuffer(body)) return null;
  try {
    const value: unknown = JSON.parse(body.toString("utf8"));
    if (Array.isArray(value)) return "batch";
    return typeof value === "object" ? value : null;
  } catch {
    return null;
  }
}

function readSessionId({ headers }: ExtensionRequest): string | null {
  const id = headers[SESSION_HEADER];
  return id !== undefined && SESSION_ID.test(id) ? id : null;
}

function toWebRequest({ method, headers, body, signal }: ExtensionRequest, url: string): Request {
  const forwarded = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    value !== undefined && FORWARDED.test(name) ? [[name, value]] : [],
  );
  return new Request(url, {
    method,
    headers: forwarded,
    signal,
    ...(method === "POST" && { body: Buffer.isBuffer(body) ? new Uint8Array(body) : "" }),
  });
}

function reject(status: number, code: number, message: string): ExtensionResponse {
  return { status, body: { jsonrpc: "2.0", id: null, error: { code, message } } };
}
