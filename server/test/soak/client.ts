import { Agent, type RequestOptions, request } from "node:https";

export interface Call {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

interface Answered {
  readonly status: number;
  readonly text: string;
}

export interface Client {
  send(call: Call): Promise<Answered>;
  close(): void;
}

const TIMEOUT_MS = 30_000;

/** Keeps its connections, as many as there are calls under way: what waits shall wait in the service, not here. */
export function openClient(url: string, ca: string): Client {
  const { hostname, port } = new URL(url);
  const agent = new Agent({ keepAlive: true, ca });
  return {
    send: (call) => send({ host: hostname, port, agent, timeout: TIMEOUT_MS }, call),
    close: () => agent.destroy(),
  };
}

function send(target: RequestOptions, { method, path, headers = {}, body }: Call): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const typed = body === undefined ? {} : { "content-type": "application/json" };
    const sent = request({ ...target, method, path, headers: { ...typed, ...headers } }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () => resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }));
    });
    sent.on("timeout", () => sent.destroy(new Error("no answer in time")));
    sent.on("error", reject);
    sent.end(body);
  });
}
