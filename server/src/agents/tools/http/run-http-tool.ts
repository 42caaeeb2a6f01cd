import { findOutboundFault, type GuardedFetch } from "@swarmbase/guarded-fetch";
import { explainFetchError, ToolFailure } from "../../../errors/index.ts";
import { type JsonRecord } from "../../../json/index.ts";
import { type HttpConfig, readHttpConfig } from "./http-config.ts";
import { sleep } from "../../providers/sleep.ts";
import type { ToolAccounts, ToolAnswer, ToolCall } from "../tool-kind.ts";
import { applyAuth } from "./apply-auth.ts";
import type { CallSigner } from "./call-signer.ts";
import { fillBody, fillUrl, withoutUsed } from "./fill-template.ts";
import { identifyCall } from "./identify-call.ts";
import { toToolAnswer } from "./read-answer.ts";
import { useAccount } from "./use-account.ts";

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

export interface HttpPorts {
  readonly guarded: FetchPort;
  readonly signer: CallSigner;
  newId(): string;
  /** Null: no extension keeps accounts. */
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
