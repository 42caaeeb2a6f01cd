import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Cleanup } from "../../../../server/test/support/database.ts";

export interface ReceivedCall {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** Resolves when the connection of the call closes. */
  readonly closed: Promise<unknown>;
}

export type Answer = (request: IncomingMessage, response: ServerResponse, call: ReceivedCall) => void | Promise<void>;

/** A server of the operator, on plain HTTP and loopback. It answers by path and keeps what it received. */
export interface AppServer {
  readonly origin: string;
  readonly calls: ReceivedCall[];
}

export async function startAppServer(t: Cleanup, answers: Readonly<Record<string, Answer>>): Promise<AppServer> {
  const calls: ReceivedCall[] = [];
  const receive = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const closed = once(response, "close");
    const body = Buffer.concat((await request.toArray()) as Buffer[]);
    const { method = "", url = "", headers } = request;
    const call = { method, url, headers, body, closed };
    calls.push(call);
    const answer = answers[url.split("?", 1)[0] ?? ""];
    if (answer === undefined) response.writeHead(404).end();
    else await answer(request, response, call);
  };
  const server = createServer((request, response) => void receive(request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(async () => {
    server.closeAllConnections();
    server.close();
  });
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, calls };
}
