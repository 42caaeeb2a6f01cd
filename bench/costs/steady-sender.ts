import { setTimeout as sleep } from "node:timers/promises";
import { type HttpConnection, type HttpTarget, openConnection } from "../load/http-connection.ts";

export interface SentAgent {
  readonly id: string;
  /** By the clock of the machine, which PostgreSQL shares. */
  readonly dueAtMs: number;
}

export interface SteadySender {
  /** Sends the requests in turn at this rate, whether or not earlier ones are answered. */
  send(
    requests: readonly Buffer[],
    pace: { readonly perSecond: number; readonly seconds: number },
  ): Promise<readonly SentAgent[]>;
  sendOne(request: Buffer): Promise<string>;
  close(): void;
}

const CREATED = 201;

/** Inserts agents over as many kept-alive connections as the rate needs. */
export async function openSteadySender(target: HttpTarget): Promise<SteadySender> {
  const all = new Set<HttpConnection>();
  const idle: HttpConnection[] = [];
  const open = async (): Promise<HttpConnection> => {
    const connection = await openConnection(target);
    all.add(connection);
    return connection;
  };
  const sendOne = async (request: Buffer): Promise<string> => {
    let connection = idle.pop();
    // The service closes connections that were idle for long.
    while (connection !== undefined && !connection.isOpen()) {
      all.delete(connection);
      connection = idle.pop();
    }
    connection ??= await open();
    const { status, text } = await connection.ask(request);
    idle.push(connection);
    if (status !== CREATED) throw new Error(`an insert was answered with ${status}: ${text.slice(0, 200)}`);
    const [row] = JSON.parse(text) as readonly { id: string }[];
    return row?.id ?? "";
  };
  return {
    sendOne,
    send: async (requests, { perSecond, seconds }) => {
      const startedAtMs = performance.now();
      const sent: Promise<SentAgent>[] = [];
      for (let at = 0; at < perSecond * seconds; at += 1) {
        const waitMs = startedAtMs + (at * 1_000) / perSecond - performance.now();
        if (waitMs > 1) await sleep(waitMs);
        const dueAtMs = performance.timeOrigin + startedAtMs + (at * 1_000) / perSecond;
        const request = requests[at % requests.length] ?? Buffer.alloc(0);
        sent.push(sendOne(request).then((id) => ({ id, dueAtMs })));
      }
      return Promise.all(sent);
    },
    close: () => {
      for (const connection of all) connection.close();
    },
  };
}
