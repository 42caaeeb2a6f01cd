import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";

export interface Office {
  /** Responds to the tool with JSON. */
  readonly listUrl: string;
  readonly hookUrl: string;
  /** The responses to the next deliveries; the last one repeats. */
  answerWith(next: readonly number[]): void;
  close(): void;
}

const WAITING = { all: { total: 4812, europe: 3107, america: 1322, elsewhere: 383 }, europe: { total: 3107 } };
const WORDS: Readonly<Record<number, string>> = {
  200: '{"ok":true}',
  404: '{"error":"no such board"}',
  503: '{"error":"back in a minute"}',
};

/** The endpoint of webhooks and tools, with the certificate that the instance created for this machine. */
export async function openOffice(dataDir: string): Promise<Office> {
  const pem = await readFile(join(dataDir, "tls", "localhost.pem"));
  let statuses: readonly number[] = [200];
  const server = createServer({ key: pem, cert: pem }, (request, response) => {
    request.resume();
    if (request.method === "GET") {
      const isEurope = request.url?.endsWith("europe") === true;
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify(isEurope ? WAITING.europe : WAITING.all));
      return;
    }
    const [status = 200, ...later] = statuses;
    if (later.length > 0) statuses = later;
    response.writeHead(status, { "content-type": "application/json" }).end(WORDS[status] ?? "");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    listUrl: `https://localhost:${port}/waiting-list/{region}`,
    hookUrl: `https://localhost:${port}/hooks/launch`,
    answerWith: (next) => {
      statuses = next;
    },
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
