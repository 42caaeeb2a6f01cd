import type net from "node:net";
import { once } from "node:events";
import tls from "node:tls";
import { WebSocket } from "ws";
import { type HttpRequest, type HttpTarget, openConnection, renderRequest } from "../load/http-connection.ts";
import { callTrigger } from "./call-trigger.ts";
import { aborted, pause, sendOnce } from "./requests.ts";

/** What an attack needs to know. The attacker is an ordinary user with rows of their own. */
export interface AttackContext {
  readonly target: HttpTarget;
  readonly apikey: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly email: string;
  /** The first one has many messages; all have an agent whose answers never end. */
  readonly swarmIds: readonly string[];
  /** It answers at once. */
  readonly briefAgentId: string;
}

export const ATTACKS = {
  "lock hog": lockRow,
  "heavy embeddings": embedDeeply,
  "slow readers of large answers": readSlowly,
  "1,000 idle sockets": holdSockets,
  "500 large presences": trackLarge,
  "200,000 queued deliveries": async () => {},
  "100 endless streams": openStreams,
  "sign-ins with wrong passwords": signInWrongly,
  "exports with count=exact": exportRows,
  "1,000 schedules at one second": scheduleAtOnce,
  "2,000 calls a second at a trigger": callTrigger,
} as const satisfies Readonly<Record<string, Attack>>;

export type AttackName = keyof typeof ATTACKS;

/** Runs until the signal aborts. Counts answers by status. */
type Attack = (context: AttackContext, signal: AbortSignal, count: (status: number) => void) => Promise<void>;

const AGAIN_MS = 500;
const REFUSED = 400;

/** Ten changes of one row wait for a batch that changes it first and then reads for as long as it may. */
async function lockRow(context: AttackContext, signal: AbortSignal, count: (status: number) => void): Promise<void> {
  const [swarmId = ""] = context.swarmIds;
  const change = { method: "PATCH", path: `/swarms?id=eq.${swarmId}`, body: { description: "held" } };
  const batch = { operations: [change, { method: "GET", path: `/swarms?select=${DEEP}` }] };
  const held: HttpRequest = { method: "POST", path: "/functions/v1/batch", headers: {}, body: JSON.stringify(batch) };
  const waiting: HttpRequest = {
    method: "PATCH",
    path: `/rest/v1/swarms?id=eq.${swarmId}`,
    headers: {},
    body: JSON.stringify({ description: "waits" }),
  };
  await repeat(context, [held, ...Array.from({ length: 10 }, () => waiting)], signal, count);
}

const DEEP = "id,messages(id,swarms(id,messages(id,swarms(id))))";

async function embedDeeply(
  context: AttackContext,
  signal: AbortSignal,
  count: (status: number) => void,
): Promise<void> {
  const request: HttpRequest = { method: "GET", path: `/rest/v1/swarms?select=${DEEP}`, headers: {} };
  await repeat(
    context,
    Array.from({ length: 12 }, () => request),
    signal,
    count,
  );
}

/** The widest answer that the bounds allow, read at a few kilobytes a second. */
async function readSlowly(context: AttackContext, signal: AbortSignal, count: (status: number) => void): Promise<void> {
  const lists = Array.from({ length: 15 }, (_, number) => `a${number}:messages(content)`);
  const request = renderRequest(context.target, {
    method: "GET",
    path: `/rest/v1/swarms?select=id,${lists.join(",")}&id=eq.${context.swarmIds[0]}`,
    headers: context.headers,
  });
  const read = async (): Promise<void> => {
    while (!signal.aborted) {
      const socket = await openSocket(context.target);
      if (socket === null) {
        await pause(AGAIN_MS, signal);
        continue;
      }
      socket.write(request);
      const status = await readStatus(socket);
      count(status);
      socket.pause();
      while (!signal.aborted && socket.writable && status < REFUSED) {
        socket.read(1024);
        await pause(200, signal);
      }
      socket.destroy();
      if (status >= REFUSED) await pause(AGAIN_MS, signal);
    }
  };
  await Promise.all(Array.from({ length: 20 }, read));
}

async function holdSockets(
  { target }: AttackContext,
  signal: AbortSignal,
  count: (status: number) => void,
): Promise<void> {
  const hold = async (): Promise<void> => {
    while (!signal.aborted) {
      const socket = await openSocket(target);
      count(socket === null ? 0 : 101);
      if (socket !== null) await Promise.race([once(socket, "close"), aborted(signal)]);
      socket?.destroy();
      await pause(AGAIN_MS, signal);
    }
  };
  await Promise.all(Array.from({ length: 1_000 }, hold));
}

const PRESENCE_BYTES = 1_000_000;

/** Sockets with the public key alone, each in a channel of its own. Counts the answers to their presences: 200 is ok, 413 an error, 0 none. */
async function trackLarge(
  { target: { host, port, ca }, apikey }: AttackContext,
  signal: AbortSignal,
  count: (status: number) => void,
): Promise<void> {
  const track = async (number: number): Promise<void> => {
    while (!signal.aborted) {
      const socket = new WebSocket(`wss://${host}:${port}/realtime/v1/websocket?vsn=1.0.0&apikey=${apikey}`, { ca });
      let isAnswered = false;
      // The close event follows each error.
      socket.on("error", () => {});
      const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
      const topic = `realtime:large-${number}`;
      const send = (event: string, ref: string, payload: object): void =>
        socket.send(JSON.stringify({ topic, event, payload, ref, join_ref: "1" }));
      socket.on("open", () => send("phx_join", "1", { config: { presence: { enabled: false } } }));
      socket.on("message", (text: Buffer) => {
        const { event, ref, payload } = JSON.parse(text.toString()) as Reply;
        if (event !== "phx_reply") return;
        if (ref === "2") {
          isAnswered = true;
          count(payload.status === "ok" ? 200 : 413);
        }
        const meta = { text: "x".repeat(PRESENCE_BYTES) };
        if (ref === "1") send("presence", "2", { type: "presence", event: "track", payload: meta });
      });
      await Promise.race([closed, aborted(signal)]);
      // Closed by the service, or still without an answer at the end of the attack.
      if (!isAnswered) count(0);
      socket.terminate();
      await pause(AGAIN_MS, signal);
    }
  };
  await Promise.all(Array.from({ length: 500 }, (_, number) => track(number)));
}

interface Reply {
  readonly event: string;
  readonly ref: string | null;
  readonly payload: { readonly status?: string };
}

async function openStreams(
  context: AttackContext,
  signal: AbortSignal,
  count: (status: number) => void,
): Promise<void> {
  const streams = context.swarmIds.slice(0, 100).map(async (swarmId) => {
    while (!signal.aborted) {
      const socket = await openSocket(context.target);
      if (socket === null) {
        await pause(AGAIN_MS, signal);
        continue;
      }
      socket.write(
        renderRequest(context.target, {
          method: "POST",
          path: "/functions/v1/agent-respond",
          headers: context.headers,
          body: JSON.stringify({ swarm_id: swarmId, message: "Go on.", stream: true, on_disconnect: "cancel" }),
        }),
      );
      const status = await readStatus(socket);
      count(status);
      socket.resume();
      if (status < REFUSED) await Promise.race([once(socket, "close"), aborted(signal)]);
      socket.destroy();
      await pause(AGAIN_MS, signal);
    }
  });
  await Promise.all(streams);
}

async function signInWrongly(
  context: AttackContext,
  signal: AbortSignal,
  count: (status: number) => void,
): Promise<void> {
  const body = JSON.stringify({ email: context.email, password: "wrong horse battery staple" });
  const headers = { apikey: context.apikey, "content-type": "application/json" };
  const request: HttpRequest = { method: "POST", path: "/auth/v1/token?grant_type=password", headers, body };
  await repeat(
    context,
    Array.from({ length: 20 }, () => request),
    signal,
    count,
  );
}

async function exportRows(context: AttackContext, signal: AbortSignal, count: (status: number) => void): Promise<void> {
  const headers = { prefer: "count=exact", accept: "text/csv" };
  const request: HttpRequest = { method: "GET", path: "/rest/v1/messages?select=*&order=content", headers };
  await repeat(
    context,
    Array.from({ length: 12 }, () => request),
    signal,
    count,
  );
}

const SCHEDULES = 1_000;
const SCHEDULES_AT_ONCE = 100;
const DUE_AFTER_MS = 1_000;

/** As many schedules as a user can have. What is still in the queue at the end waits for nobody. */
async function scheduleAtOnce(
  { target, headers, briefAgentId }: AttackContext,
  signal: AbortSignal,
  count: (status: number) => void,
): Promise<void> {
  const run_at = new Date(Date.now() + DUE_AFTER_MS).toISOString();
  const row = { name: "Burst", agent_id: briefAgentId, message: "Go on.", run_at };
  const body = JSON.stringify(Array.from({ length: SCHEDULES_AT_ONCE }, () => row));
  const insert = renderRequest(target, { method: "POST", path: "/rest/v1/schedules", headers, body });
  for (let written = 0; written < SCHEDULES && !signal.aborted; written += SCHEDULES_AT_ONCE)
    count(await sendOnce(target, insert, signal));
  await aborted(signal);
  const remove: HttpRequest = { method: "DELETE", path: "/rest/v1/schedules?enabled=is.true", headers };
  const connection = await openConnection(target);
  count(await connection.send(renderRequest(target, remove)));
  connection.close();
}

/** Sends each request again as soon as it is answered, over a connection of its own. A refusal is followed by a pause. */
async function repeat(
  { target, headers }: AttackContext,
  requests: readonly HttpRequest[],
  signal: AbortSignal,
  count: (status: number) => void,
): Promise<void> {
  const run = async (request: HttpRequest): Promise<void> => {
    const bytes = renderRequest(target, { ...request, headers: { ...headers, ...request.headers } });
    while (!signal.aborted) {
      const status = await sendOnce(target, bytes, signal);
      count(status);
      if (status === 0 || status >= REFUSED) await pause(AGAIN_MS, signal);
    }
  };
  await Promise.all(requests.map(run));
}

async function openSocket({ host, port, ca }: HttpTarget): Promise<tls.TLSSocket | null> {
  const socket = tls.connect({ host, port, servername: host, ...(ca !== undefined && { ca }) });
  try {
    await once(socket, "secureConnect");
    socket.on("error", () => {});
    return socket;
  } catch {
    return null;
  }
}

async function readStatus(socket: net.Socket): Promise<number> {
  const [first] = (await Promise.race([once(socket, "data"), once(socket, "close")]).catch(() => [null])) as [unknown];
  return Buffer.isBuffer(first) ? Number(first.toString("latin1", 9, 12)) : 0;
}
