import type { IncomingHttpHeaders } from "node:http";
import type { CommandFetch } from "swarmbase/extension";
import type { ReceiverAnswer } from "./receiver.ts";

/** Rejects when there is no response. */
export type Forward = (headers: IncomingHttpHeaders, body: Buffer, signal: AbortSignal) => Promise<ReceiverAnswer>;

/** Headers of the connection or of the host, which are not forwarded. */
const CONNECTION_HEADERS: ReadonlySet<string> = new Set([
  "connection",
  "content-length",
  "host",
  "keep-alive",
  "transfer-encoding",
]);

export function createForwarder(dispatcher: CommandFetch["dispatcher"], url: URL): Forward {
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
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined || CONNECTION_HEADERS.has(name) ? [] : [[name, value]],
    ),
  );
}
