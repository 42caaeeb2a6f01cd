import type { FetchLike } from "@modelcontextprotocol/client";
import { boundResponse, type Fetch } from "../sessions/bounded-fetch.ts";

/** Documents of an authorization server are short. */
const MAX_BYTES = 65_536;
/** For one request to an authorization server. */
export const OAUTH_TIMEOUT_MS = 10_000;

/** Adapts the guarded fetch to the requests of a sign-in: metadata, registration, tokens. */
export function createOAuthFetch(send: Fetch, timeoutMs: number): FetchLike {
  return async (url, init = {}) => {
    const { method = "GET", body } = init;
    const response = await send(url, {
      method,
      headers: Object.fromEntries(new Headers(init.headers)),
      ...((typeof body === "string" || body instanceof URLSearchParams) && { body: body.toString() }),
      signal: AbortSignal.timeout(timeoutMs),
    });
    return boundResponse(response, MAX_BYTES);
  };
}
