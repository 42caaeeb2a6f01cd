import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";

const ID = Symbol("request id");

// On the request itself: a WeakMap would be gone through, entry by entry, at every collection of garbage.
interface NamedRequest extends IncomingMessage {
  [ID]?: string;
}

/** The caller's `X-Request-Id` when it is safe to log and to send back, else a new one; the same on every call for a request. */
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
