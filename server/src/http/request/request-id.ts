import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";

const ID = Symbol("request id");

// A property and not a WeakMap, whose entries every garbage collection would visit.
interface NamedRequest extends IncomingMessage {
  [ID]?: string;
}

/** Returns the client's `X-Request-Id` when it is safe to log, otherwise a new id, which the request keeps. */
export function requestIdOf(request: NamedRequest): string {
  const known = request[ID];
  if (known !== undefined) return known;
  const given = request.headers["x-request-id"];
  const id = typeof given === "string" && /^[\w.:=+/-]{1,128}$/.test(given) ? given : randomUUID();
  request[ID] = id;
  return id;
}
