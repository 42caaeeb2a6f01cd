import { setTimeout as sleep } from "node:timers/promises";
import { type HttpConnection, type HttpTarget, openConnection } from "../load/http-connection.ts";

export interface Sent {
  /** Of the agent, or of the event as in its envelope. */
  readonly id: string;
  /** By the clock of the machine, which PostgreSQL shares. */
  readonly dueAtMs: number;
}

export interface SteadySender {
  /** Sends the requests in turn at this rate, whether or not earlier ones are answered. */
  send(
    requests: readonly Buffer[],
    pace: { readonly perSecond: number; readonly seconds: number },
  ): Promise<readonly Sent[]>;
  sendOne(request: Buffer): Promise<string>;
  close(): void;
}

const MAX_IDLE_MS = 2_000;

/** Rows that were inserted, or the ids of events that were emitted. */
type Answer = readonly { readonly id: string }[] | { readonly ids: readonly string[] };

/** Inserts agents, or emits events of the app, over as many kept-alive connections as the rate needs. */
export async function openSteadySender(target: HttpTarget): Promise<SteadySender> {
  const all = new Set<HttpConnection>();
  const idle: { readonly connection: HttpConnection; readonly sinceMs: number }[] = [];
  const open = async (): Promise<HttpConnection> => {
    const connection = await openConnection(target);
    all.add(connection);
    return connection;
  };
  /** The service closes connections that were idle for long, at times while a request is on its way. */
  const takeIdle = (): HttpConnection | undefined => {
    for (let last = idle.pop(); last !== undefined; last = idle.pop()) {
      if (last.connection.isOpen() && performance.now() - last.sinceMs < MAX_IDLE_MS) return last.connection;
      all.delete(last.connection);
      last.connection.close();
    }
    return undefined;
  };
  const sendOne = async (request: Buffer): Promise<string> => {
    const connection = takeIdle() ?? (await open());
    const { status, text } = await connection.ask(request);
    idle.push({ connection, sinceMs: performance.now() });
    if (status < 200 || status >= 300) throw new Error(`a request was answered with ${status}: ${text.slice(0, 200)}`);
    return readId(JSON.parse(text) as Answer);
  };
  return {
    sendOne,
    send: async (requests, { perSecond, seconds }) => {
      const startedAtMs = performance.now();
      const sent: Promise<Sent>[] = [];
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

function readId(answer: Answer): string {
  return ("ids" in answer ? answer.ids[0] : answer[0]?.id) ?? "";
}
