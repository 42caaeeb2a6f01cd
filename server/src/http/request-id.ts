import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";

const ids = new WeakMap<IncomingMessage, string>();

/** The caller's `X-Request-Id` when it is safe to log and to send back, else a new one; the same on every call for a request. */
export function requestIdOf(request: IncomingMessage): string {
  const known = ids.get(request);
  if (known !== undefined) return known;
  const given = request.headers["x-request-id"];
  const id = typeof given === "string" && /^[\w.:=+/-]{1,128}$/.test(given) ? given : newRequestId();
  ids.set(request, id);
  return id;
}

export function newRequestId(): string {
  return randomUUID();
}
