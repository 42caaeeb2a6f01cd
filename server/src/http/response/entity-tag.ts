import { createHash } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { setImmediate as nextTurn } from "node:timers/promises";
import { matchesTag } from "../request/negotiation.ts";
import type { Body } from "./send-body.ts";

/** Other requests are served between two pieces of a large body. */
const PIECE_BYTES = 1024 * 1024;
const FRESH_ONLY = /(?:^|[\s,])max-age=0(?:$|[\s,])/i;

/**
 * The client wants to compare the response with one that it holds, or to hold it for that. `fetch` with `cache: "no-cache"` sends
 * `Cache-Control: max-age=0`, and then the tag of what the browser holds. Other reads cost no hash.
 */
export function asksForTag({ method, headers }: { method: string; headers: IncomingHttpHeaders }): boolean {
  return (
    method === "GET" && (headers["if-none-match"] !== undefined || FRESH_ONLY.test(headers["cache-control"] ?? ""))
  );
}

/** Adds the entity tag of a response, and replaces the response by a 304 when the client holds the same one. */
export async function addTag(ifNoneMatch: string, answer: Body): Promise<Body> {
  const { status, headers, body } = answer;
  if (body === null || (status !== 200 && status !== 206)) return answer;
  // Weak: a compressed response has the same tag.
  const etag = `W/"${await digest(answer, body)}"`;
  const kept = {
    etag,
    // The response depends on who asks. Nobody else may hold it, and its holder has to ask before each use.
    "cache-control": "private, no-cache",
    vary: [headers["vary"], "Accept-Profile, Authorization, apikey"].filter(Boolean).join(", "),
  };
  if (!matchesTag(ifNoneMatch, etag)) return { ...answer, headers: { ...headers, ...kept } };
  answer.onSent?.();
  return { status: 304, headers: kept, body: null };
}

async function digest({ headers }: Body, body: string | Buffer): Promise<string> {
  const bytes = typeof body === "string" ? Buffer.from(body) : body;
  const hash = createHash("sha256").update(JSON.stringify([headers["content-type"], headers["content-range"]]));
  for (let start = 0; start < bytes.length; start += PIECE_BYTES) {
    if (start > 0) await nextTurn();
    hash.update(bytes.subarray(start, start + PIECE_BYTES));
  }
  return hash.digest("base64url");
}
