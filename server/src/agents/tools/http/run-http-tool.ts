import type { Response } from "undici";
import { type JsonRecord } from "../../../json/index.ts";
import { findOutboundFault, type GuardedFetch } from "../../../outbound/index.ts";
import { type HttpConfig, readConfig } from "../config/tool-config.ts";
import type { ToolSecrets } from "../seal-secrets.ts";
import { ToolFailure } from "../tool-failure.ts";
import { applyAuth } from "./apply-auth.ts";
import { explainFetchError } from "./explain-fetch-error.ts";
import { fillBody, fillUrl, withoutUsed } from "./fill-template.ts";
import { readAnswer } from "./read-answer.ts";

export interface HttpToolCall {
  readonly config: JsonRecord;
  readonly input: JsonRecord;
  readonly secrets: ToolSecrets;
  readonly maxChars: number;
  readonly signal: AbortSignal;
  readonly traceparent: string | undefined;
}

export interface ToolAnswer {
  readonly text: string;
  readonly isCut: boolean;
  readonly attempts: number;
}

export interface HttpRequest {
  readonly url: URL;
  readonly method: HttpConfig["method"];
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

export type FetchPort = Pick<GuardedFetch, "fetch">;

const USER_AGENT = "swarmbase-tools";

export async function runHttpTool(port: FetchPort, call: HttpToolCall): Promise<ToolAnswer> {
  const read = readConfig("http", call.config);
  if (!read.ok) throw new ToolFailure("TOOL_UNUSABLE", "The tool's configuration is not valid.");
  const request = buildRequest(read.config, call);
  return sendRequest(port, request, call);
}

function buildRequest(config: HttpConfig, { input, secrets, traceparent }: HttpToolCall): HttpRequest {
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
    },
    body: body === undefined ? null : JSON.stringify(body),
  };
}

function findBody({ method, url, body }: HttpConfig, input: JsonRecord): unknown {
  if (method === "GET" || method === "HEAD") return undefined;
  if (body !== undefined) return fillBody(body, input);
  return method === "DELETE" ? undefined : withoutUsed(url, input);
}

/** A read that got no answer is tried once more; a change never is, for it may have been made. */
export async function sendRequest(
  port: FetchPort,
  request: HttpRequest,
  { signal, maxChars }: Pick<HttpToolCall, "signal" | "maxChars">,
): Promise<ToolAnswer> {
  const mayRepeat = request.method === "GET" || request.method === "HEAD";
  for (let attempts = 1; ; attempts += 1) {
    try {
      return await sendOnce(port, request, { signal, maxChars, attempts });
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof ToolFailure) throw error;
      if (!(mayRepeat && attempts === 1 && isTransport(error))) throw explainFetchError(error, attempts);
    }
  }
}

async function sendOnce(
  port: FetchPort,
  { url, method, headers, body }: HttpRequest,
  {
    signal,
    maxChars,
    attempts,
  }: { readonly signal: AbortSignal; readonly maxChars: number; readonly attempts: number },
): Promise<ToolAnswer> {
  const response = await port.fetch(url, { method, headers, body, signal });
  const { text, isCut } = await readAnswer(response, maxChars);
  if (response.ok) return { text: text === "" ? `[empty answer, status ${response.status}]` : text, isCut, attempts };
  throw new ToolFailure("TOOL_HTTP_ERROR", `The server answered with status ${response.status}.`, {
    isRetryable: isTemporary(response),
    attempts,
    text,
  });
}

function isTransport(error: unknown): boolean {
  const { code } = findOutboundFault(error);
  return code === "reset" || code === "connect_refused" || code === "connect_timeout" || code === "dns";
}

function isTemporary({ status }: Response): boolean {
  return status === 408 || status === 425 || status === 429 || status >= 500;
}

function lowerCase(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
