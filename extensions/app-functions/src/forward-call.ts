import { createHmac } from "node:crypto";
import { FUNCTION_CALLER_HEADER, type FunctionCaller, WEBHOOK_HEADERS } from "@swarmbase/sdk";
import { AppError, type ExtensionContext, type ExtensionRequest, type ExtensionResponse } from "swarmbase/extension";
import { selectRequestHeaders, selectResponseHeaders } from "./header-rules.ts";
import type { FunctionTarget } from "./read-functions-file.ts";

/** Limits each wait for the other end. Time in which nothing is awaited does not count: a slow reader is no silence. */
class SilenceTimer {
  readonly #limitMs: number;
  readonly #over = new AbortController();

  constructor(limitMs: number) {
    this.#limitMs = limitMs;
  }

  /** Aborted when a wait has taken too long. */
  get signal(): AbortSignal {
    return this.#over.signal;
  }

  get isOver(): boolean {
    return this.#over.signal.aborted;
  }

  async limit<T>(wait: Promise<T>): Promise<T> {
    const timer = setTimeout(() => this.#over.abort(), this.#limitMs);
    try {
      return await wait;
    } finally {
      clearTimeout(timer);
    }
  }
}

const NO_BYTES = Buffer.alloc(0);
/** Tells `@supabase/supabase-js` that the function itself did not answer. */
const RELAY_ERROR = { headers: { "x-relay-error": "true" } } as const;

export interface Forwarding {
  readonly target: FunctionTarget;
  readonly secret: string;
}

/** What a function receives: the request of a client, or the call of a tool. */
export type ForwardedRequest = Pick<
  ExtensionRequest,
  "id" | "method" | "search" | "headers" | "body" | "caller" | "signal"
>;

interface FunctionResponse {
  readonly status: number;
  readonly headers: Headers;
  /** Null means that there is none. */
  readonly body: AsyncIterable<Uint8Array> | null;
  /** Of the request, which a function may echo. */
  readonly signature: string;
}

/** Forwards the request of a client to the operator's URL and streams the response back. Both ends see it when the other one leaves. */
export async function forwardRequest(
  forwarding: Forwarding,
  request: ExtensionRequest,
  context: ExtensionContext,
): Promise<ExtensionResponse> {
  // Other kinds of access have checked the session, the second factor and the required signatures of a user already.
  if (forwarding.target.access === "bearer" && request.caller.role === "authenticated") {
    await context.database.asCaller(request.caller, async () => {});
  }
  const { status, headers: received, body } = await forwardCall(forwarding, request, context);
  const { "content-length": length, ...headers } = selectResponseHeaders(received);
  if (body === null) return { status, headers };
  return { status, headers: { ...headers, ...(length !== undefined && { "content-length": length }) }, stream: body };
}

/** Sends a call to the operator's URL, with the caller in signed headers. */
export async function forwardCall(
  { target, secret }: Forwarding,
  request: ForwardedRequest,
  context: ExtensionContext,
): Promise<FunctionResponse> {
  const isBodyless = request.method === "GET" || request.method === "HEAD";
  const body = !isBodyless && Buffer.isBuffer(request.body) ? request.body : NO_BYTES;
  const query = readQuery(request.search);
  const timer = new SilenceTimer(target.timeoutMs);
  const call: OpenCall = { target, request, context, timer };
  const signed = buildSignedHeaders(request, { name: target.name, query, body, secret, now: context.now() });
  const response = await timer
    .limit(
      context.fetch(addQuery(target.url, query), {
        method: request.method,
        headers: {
          ...selectRequestHeaders(request.headers, target.forwardedHeaders),
          ...(body.length > 0 && { "content-type": request.headers["content-type"] ?? "application/octet-stream" }),
          ...(target.isTokenForwarded &&
            request.headers["authorization"] !== undefined && {
              authorization: request.headers["authorization"],
            }),
          "x-request-id": request.id,
          ...signed,
        },
        ...(!isBodyless && { body: body as Uint8Array<ArrayBuffer> }),
        signal: AbortSignal.any([request.signal, timer.signal]),
      }),
    )
    .catch((error: unknown) => {
      throw explainFailure(call, error);
    });
  return {
    status: response.status,
    headers: response.headers,
    body: response.body === null ? null : readPieces(response.body, call),
    signature: signed[WEBHOOK_HEADERS.signature] ?? "",
  };
}

interface OpenCall extends Pick<Forwarding, "target"> {
  readonly request: ForwardedRequest;
  readonly context: ExtensionContext;
  readonly timer: SilenceTimer;
}

/** The body piece by piece, as fast as the caller reads. Ends the call to the function when the caller leaves. */
async function* readPieces(body: ReadableStream<Uint8Array>, call: OpenCall): AsyncGenerator<Uint8Array, void, void> {
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await call.timer.limit(reader.read());
      if (done) return;
      yield value;
    }
  } catch (error) {
    if (!call.request.signal.aborted) throw explainFailure(call, error);
  } finally {
    await reader.cancel().catch(() => {});
  }
}

/** The error for the caller. The cause can name hosts of the operator, so only the log has it. */
function explainFailure({ target, request, context, timer }: OpenCall, error: unknown): AppError {
  if (request.signal.aborted) return new AppError("BAD_REQUEST", "The client closed the connection early");
  if (timer.isOver) {
    return new AppError("FUNCTION_TIMEOUT", `The function ${target.name} did not respond in time`, RELAY_ERROR);
  }
  context.note("a function failed", { function: target.name, requestId: request.id, cause: describeCause(error) });
  return new AppError("FUNCTION_FAILED", `The function ${target.name} could not be called`, RELAY_ERROR);
}

/** The innermost cause: fetch itself says only that it failed. */
function describeCause(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.message : describeCause(error.cause);
}

/** The query without the API key, which a caller can also send there. */
function readQuery(search: string): string {
  const parameters = new URLSearchParams(search);
  if (!parameters.has("apikey")) return search;
  parameters.delete("apikey");
  return parameters.size === 0 ? "" : `?${parameters.toString()}`;
}

function addQuery(url: URL, query: string): URL {
  const target = new URL(url);
  target.search = target.search === "" ? query : target.search + query.replace("?", "&");
  return target;
}

type Claims = ExtensionRequest["caller"]["claims"];

interface SignedCall {
  readonly name: string;
  readonly query: string;
  readonly body: Buffer;
  readonly secret: string;
  readonly now: Date;
}

/** The headers that tell a function who calls it, signed as webhooks are. `verifyFunctionCall` of the SDK verifies them. */
function buildSignedHeaders(
  request: Pick<ExtensionRequest, "id" | "method" | "caller">,
  call: SignedCall,
): Record<string, string> {
  const { caller } = request;
  const described: FunctionCaller = {
    role: caller.role,
    user_id: caller.userId,
    email: textOf(caller.claims["email"]),
    session_id: textOf(caller.claims["session_id"]),
    aal: textOf(caller.claims["aal"]),
    ...describeApiKey(caller.claims),
    request_id: request.id,
    function: call.name,
    method: request.method,
    query: call.query,
  };
  const header = Buffer.from(JSON.stringify(described)).toString("base64url");
  const timestamp = String(Math.floor(call.now.getTime() / 1000));
  const signature = createHmac("sha256", call.secret).update(`${timestamp}.${header}.`).update(call.body).digest("hex");
  return {
    [FUNCTION_CALLER_HEADER]: header,
    [WEBHOOK_HEADERS.timestamp]: timestamp,
    [WEBHOOK_HEADERS.signature]: `sha256=${signature}`,
  };
}

/** A function must be able to reject what an API key may not do. */
function describeApiKey({ api_key_id: id, scopes }: Claims): Pick<FunctionCaller, "api_key_id" | "scopes"> {
  if (typeof id !== "string" || !Array.isArray(scopes)) return {};
  return { api_key_id: id, scopes };
}

function textOf(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}
