import type { JsonObject } from "../json.ts";
import { ConnectionError, FunctionError } from "./function-error.ts";
import type { FunctionAnswer, FunctionBody, FunctionName } from "./function-types.ts";
import type { FunctionsClient, InvokeOptions } from "./functions-client.ts";

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  readonly headers?: Record<string, string>;
}

/** Distributes over the forms of a body, so that each keeps its own members. */
type WithoutStream<Body> = Body extends unknown ? Omit<Body, "stream"> : never;

/**
 * Calls a function with a typed body and returns its typed response. Rejects with a `FunctionError`, or with a `ConnectionError`
 * when the service cannot be reached. `agent-respond` is called without a stream; `respond` streams.
 */
export async function invokeFunction<Name extends FunctionName, Action extends string = never>(
  client: FunctionsClient,
  name: Name,
  body: WithoutStream<FunctionBody<Name>> & { readonly action?: Action },
  options: CallOptions = {},
): Promise<FunctionAnswer<Name, Action>> {
  const sent = name === "agent-respond" ? { ...body, stream: false } : { ...body };
  return (await callFunction(client, name, { ...options, body: sent })) as FunctionAnswer<Name, Action>;
}

interface Call extends CallOptions {
  readonly body: Record<string, unknown>;
}

/** The data that the client returns: parsed JSON, or the response when it is a stream. */
export async function callFunction(client: FunctionsClient, name: FunctionName, call: Call): Promise<unknown> {
  const { body, headers, signal } = call;
  signal?.throwIfAborted();
  const options: InvokeOptions = { body, ...(headers && { headers }), ...(signal && { signal }) };
  const { data, error } = await client.functions.invoke(name, options);
  if (error === null || error === undefined) return data;
  signal?.throwIfAborted();
  throw await toError(name, error);
}

async function toError(name: FunctionName, error: unknown): Promise<Error> {
  const context = isRecord(error) ? error["context"] : undefined;
  if (!isResponse(context)) return new ConnectionError("The service cannot be reached", { cause: context ?? error });
  const body: unknown = await context.json().catch(() => null);
  const retryAfter = Number.parseInt(context.headers.get("retry-after") ?? "", 10);
  return new FunctionError(
    name,
    context.status,
    isRecord(body) ? (body as JsonObject) : {},
    Number.isNaN(retryAfter) ? null : retryAfter,
  );
}

/** By its members: a client can use another implementation of fetch than the platform's. */
function isResponse(value: unknown): value is Response {
  return isRecord(value) && typeof value["status"] === "number" && typeof value["json"] === "function";
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
