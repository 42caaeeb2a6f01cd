import { createHash } from "node:crypto";
import { findOutboundFault, type GuardedFetch } from "@swarmbase/guarded-fetch";
import { API_KEY_SCOPES, TOOL_IDENTITY_HEADER } from "@swarmbase/sdk";
import { apiKeyIdOf, hasScope } from "../../../db/index.ts";
import { explainFetchError, ToolFailure } from "../../../errors/index.ts";
import type { JsonRecord } from "../../../json/index.ts";
import { sleep } from "../../providers/sleep.ts";
import type { ToolSecrets } from "../seal-secrets.ts";
import type { ToolAccounts, ToolAnswer, ToolCall } from "../tool-kind.ts";
import type { CallSigner } from "./call-signer.ts";
import { fillBody, fillUrl, withoutUsed } from "./fill-template.ts";
import { type HttpConfig, readHttpConfig, type ToolAuth } from "./http-config.ts";
import { toToolAnswer } from "./read-answer.ts";

interface HttpRequest {
  readonly url: URL | string;
  readonly method: HttpConfig["method"];
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  /** Returns further headers, before each attempt. */
  identify?(): Promise<Readonly<Record<string, string>>>;
}

export type FetchPort = Pick<GuardedFetch, "fetch">;

/** Before the second repetition; it doubles with each further one. */
const RETRY_PAUSE_MS = 200;
const USER_AGENT = "swarmbase-tools";

interface HttpPorts {
  readonly guarded: FetchPort;
  readonly signer: CallSigner;
  newId(): string;
  /** Null means that no extension keeps accounts. */
  readonly accounts: ToolAccounts | null;
}

export async function runHttpTool(
  { guarded, signer, newId, accounts }: HttpPorts,
  call: ToolCall,
  toolId: string,
): Promise<ToolAnswer> {
  const read = readHttpConfig(call.config);
  if (!read.ok) throw new ToolFailure("TOOL_UNUSABLE", "The tool's configuration is not valid.");
  const callId = call.executionId ?? newId();
  const request = buildRequest(read.config, call, callId);
  const identify: HttpRequest["identify"] = () => identifyCall(signer, { ...request, toolId, callId }, call);
  const sent = read.config.identity === "off" ? request : { ...request, identify };
  if (read.config.auth?.type !== "oauth") return sendRequest(guarded, sent, call);
  return useAccount({ port: guarded, accounts }, request.url, call, (sender) => sendRequest(sender, sent, call));
}

function buildRequest(
  config: HttpConfig,
  { input, secrets, traceparent }: ToolCall,
  callId: string,
): HttpRequest & { readonly url: URL } {
  const url = fillUrl(config.url, input);
  const { headers, query } = applyAuth(config.auth, secrets);
  if (query !== null) url.searchParams.set(query.parameter, query.value);
  const body = findBody(config, input);
  return {
    url,
    method: config.method,
    headers: {
      "user-agent": USER_AGENT,
      accept: "application/json, text/*;q=0.9, */*;q=0.1",
      ...(traceparent !== undefined && { traceparent }),
      ...(body !== undefined && { "content-type": "application/json" }),
      ...lowerCase(config.headers),
      ...headers,
      "idempotency-key": callId,
    },
    body: body === undefined ? null : JSON.stringify(body),
  };
}

function findBody({ method, url, body }: HttpConfig, input: JsonRecord): unknown {
  if (method === "GET" || method === "HEAD") return undefined;
  if (body !== undefined) return fillBody(body, input);
  return method === "DELETE" ? undefined : withoutUsed(url, input);
}

/**
 * Repeats a GET or HEAD when the connection fails: once at once, then with growing pauses. Repeats no other method: the server may
 * have processed the request.
 */
export async function sendRequest(
  port: FetchPort,
  request: HttpRequest,
  { signal, maxChars, maxRetries }: Pick<ToolCall, "signal" | "maxChars" | "maxRetries">,
): Promise<ToolAnswer> {
  const maxAttempts = request.method === "GET" || request.method === "HEAD" ? 1 + maxRetries : 1;
  for (let attempts = 1; ; attempts += 1) {
    const { url, identify, ...init } = request;
    const headers = { ...init.headers, ...(await identify?.()) };
    try {
      return await toToolAnswer(await port.fetch(url, { ...init, headers, signal }), maxChars, attempts);
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof ToolFailure) throw error;
      if (attempts >= maxAttempts || !isTransport(error)) throw explainFetchError(error, attempts);
      if (attempts > 1) await sleep(RETRY_PAUSE_MS * 2 ** (attempts - 2), signal);
    }
  }
}

function isTransport(error: unknown): boolean {
  const { code } = findOutboundFault(error);
  return code === "reset" || code === "connect_refused" || code === "connect_timeout" || code === "dns";
}

function lowerCase(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

interface AppliedAuth {
  readonly headers: Readonly<Record<string, string>>;
  readonly query: { readonly parameter: string; readonly value: string } | null;
}

/** The headers or the query parameter that send the tool's secret to its server. */
function applyAuth(auth: ToolAuth | undefined, secrets: ToolSecrets): AppliedAuth {
  if (auth === undefined || auth.type === "oauth") return { headers: {}, query: null };
  const secret = Object.hasOwn(secrets, auth.secret) ? secrets[auth.secret] : undefined;
  if (secret === undefined) throw new ToolFailure("TOOL_UNUSABLE", `The tool has no secret called ${auth.secret}.`);
  switch (auth.type) {
    case "bearer":
      return { headers: { authorization: `Bearer ${secret}` }, query: null };
    case "basic": {
      const pair = Buffer.from(`${auth.username}:${secret}`).toString("base64");
      return { headers: { authorization: `Basic ${pair}` }, query: null };
    }
    case "header":
      return { headers: { [auth.header.toLowerCase()]: secret }, query: null };
    case "query":
      return { headers: {}, query: { parameter: auth.parameter, value: secret } };
  }
}

interface IdentifiedRequest {
  readonly url: URL;
  readonly method: string;
  readonly body: string | null;
  readonly toolId: string;
  readonly callId: string;
}

/** The header with which a server verifies for whom it is called, for one attempt. */
async function identifyCall(
  signer: CallSigner,
  { url, method, body, toolId, callId }: IdentifiedRequest,
  { name, starter, hide }: Pick<ToolCall, "name" | "starter" | "hide">,
): Promise<Readonly<Record<string, string>>> {
  const { principal, call } = await starter.open();
  const apiKeyId = apiKeyIdOf(principal);
  const token = signer.sign({
    aud: `${url.origin}${url.pathname}${url.search}`,
    htm: method,
    body_sha256: createHash("sha256")
      .update(body ?? "")
      .digest("base64url"),
    tool: { id: toolId, name },
    sub: principal.userId,
    ...(call !== null && { act: { sub: call.agentId }, run_id: call.runId }),
    tool_call_id: callId,
    // A server must be able to reject what an API key may not do.
    ...(apiKeyId !== null && {
      api_key_id: apiKeyId,
      scopes: API_KEY_SCOPES.filter((scope) => hasScope(principal, scope)),
    }),
  });
  hide?.(token);
  // A server may echo the parts of the token. Without the signature, they are of no use.
  hide?.(token.slice(token.lastIndexOf(".") + 1));
  return { [TOOL_IDENTITY_HEADER.toLowerCase()]: token };
}

/** Sends requests with the access token of the account that the starter of the run has connected at the server. */
async function useAccount(
  { port, accounts }: { readonly port: FetchPort; readonly accounts: ToolAccounts | null },
  url: URL | string,
  call: ToolCall,
  work: (port: FetchPort) => Promise<ToolAnswer>,
): Promise<ToolAnswer> {
  if (accounts === null)
    throw new ToolFailure("TOOL_UNUSABLE", "The tool needs the extension mcp-client, which EXTENSIONS does not name.");
  const server = { protocol: "http", url: new URL(url).origin } as const;
  return accounts.use(call, server, (tokens) => {
    const send: FetchPort["fetch"] = async (target, init) => {
      const { token, version } = await tokens.take();
      call.hide?.(token);
      const headers = { ...(init?.headers as Readonly<Record<string, string>>), authorization: `Bearer ${token}` };
      const response = await port.fetch(target, { ...init, headers });
      if (response.status !== 401) return response;
      await response.body?.cancel();
      await tokens.renew(version);
      return send(target, init);
    };
    return work({ fetch: send });
  });
}
