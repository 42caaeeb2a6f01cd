import type { IncomingHttpHeaders } from "node:http";
import type { GuardedFetch } from "../../outbound/index.ts";

interface ForwardedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body: Buffer;
}

/** Rejects when there is no response. */
export type Forward = (headers: IncomingHttpHeaders, body: Buffer, signal: AbortSignal) => Promise<ForwardedAnswer>;

/** Headers of the connection or of the host, which are not forwarded. */
const OF_THE_CONNECTION: ReadonlySet<string> = new Set([
  "connection",
  "content-length",
  "host",
  "keep-alive",
  "transfer-encoding",
]);

export function createForwarder(dispatcher: GuardedFetch["dispatcher"], url: URL): Forward {
  return async (headers, body, signal) => {
    const answer = await dispatcher.request({
      origin: url.origin,
      path: url.pathname + url.search,
      method: "POST",
      headers: withoutConnection(headers),
      body,
      signal,
    });
    return {
      status: answer.statusCode,
      headers: withoutConnection(answer.headers),
      body: Buffer.from(await answer.body.arrayBuffer()),
    };
  };
}

function withoutConnection(headers: IncomingHttpHeaders): Record<string, string | string[]> {
  const kept: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined && !OF_THE_CONNECTION.has(name)) kept[name] = value;
  }
  return kept;
}
