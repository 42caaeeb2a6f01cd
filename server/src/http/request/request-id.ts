import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";

const ID = Symbol("request id");

// A property and not a WeakMap, whose entries every garbage collection would visit.
interface NamedRequest extends IncomingMessage {
  [ID]?: string;
}

/**
 * Returns the caller's `X-Request-Id` when it is safe to log and to send back, otherwise a new one. The same for every
 * call with one request.
 */
export function requestIdOf(request: NamedRequest): string {
  const known = request[ID];
  if (known !== undefined) return known;
  const given = request.headers["x-request-id"];
  const id = typeof given === "string" && /^[\w.:=+/-]{1,128}$/.test(given) ? given : newRequestId();
  request[ID] = id;
  return id;
}

export function newRequestId(): string {
  return randomUUID();
}
