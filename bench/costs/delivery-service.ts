import pg from "pg";
import { setTimeout as sleep } from "node:timers/promises";
import { listDescendants, readCpuMs } from "../agents/descendants.ts";
import type { Closers } from "../load/closers.ts";
import { type HttpRequest, renderRequest } from "../load/http-connection.ts";
import { NEW_AGENT } from "../rest/operations.ts";
import { startVersion, type User, type Version, type VersionOptions } from "../versions/start-version.ts";
import type { WebhookReceiver } from "../webhooks/start-receiver.ts";
import { openSteadySender, type Sent } from "./steady-sender.ts";

/** Milliseconds of CPU of one operation. */
export interface OperationCpu {
  readonly serviceMs: number;
  readonly databaseMs: number;
}

export interface SteadyRound extends OperationCpu {
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** What makes an event: the insert of an agent, or an event of the app, which the app's own server emits. */
export type Source = "agent" | "app";

export interface DeliveryService {
  readonly name: string;
  /** At a steady rate. Without `isHeard`, nobody subscribes. */
  sendSteadily(source: Source, seconds: number, isHeard: boolean): Promise<SteadyRound>;
  /** One event to all endpoints of a user, again when the queue is empty. The figures are of a delivery. */
  fanOut(source: Source, events: number): Promise<OperationCpu>;
  /** As many events as deliveries are inserted at once, each for one of the endpoints. The figures are of a delivery. */
  drain(deliveries: number): Promise<OperationCpu>;
  idle(seconds: number): Promise<OperationCpu>;
}

export const EVENTS_PER_SECOND = 200;
export const ENDPOINTS = 100;
const USERS = 20;
const POLL_MS = 10;
const APP_TYPE = {
  name: "app.order.paid",
  description: "An order was paid.",
  schema: {
    type: "object",
    properties: { order_id: { type: "string" }, total: { type: "number" }, note: { type: "string" } },
    required: ["order_id", "total"],
  },
};
const ORDER = { order_id: "A-1017", total: 59.9, note: NEW_AGENT.system_prompt };

/** A whole service with its embedded database, over HTTPS. `emitsAppEvents`: it knows events of the app. */
export async function openDeliveryService(
  options: VersionOptions & { readonly emitsAppEvents: boolean },
  receiver: WebhookReceiver,
  closers: Closers,
): Promise<DeliveryService> {
  const service = await startVersion(options);
  closers.add(() => service.stop());
  const sql = new pg.Client(service.databaseUrl);
  await sql.connect();
  closers.add(() => sql.end());
  const { rows } = await sql.query<{ pid: number }>("select pg_backend_pid() as pid");
  /** The connection of the benchmark is not part of the service. */
  const ownPid = rows[0]?.pid;
  if (options.emitsAppEvents) await service.insert(service.serviceRole, "event_types", [APP_TYPE]);
  const events = ["agent.created", ...(options.emitsAppEvents ? [APP_TYPE.name] : [])];
  const signUp = async (urls: readonly string[]): Promise<User> => {
    const user = await service.signUp();
    const webhooks = urls.map((url) => ({ name: "bench", url, events }));
    if (webhooks.length > 0) await service.insert(user, "webhooks", webhooks);
    return user;
  };
  const unheard: User[] = [];
  const heard: User[] = [];
  for (let at = 0; at < USERS; at += 1) {
    unheard.push(await signUp([]));
    heard.push(await signUp([receiver.url]));
  }
  const crowd = await signUp(Array.from({ length: ENDPOINTS }, (_, at) => `${receiver.url}${at}`));
  await sql.query(CREATE_ENDPOINTS, [receiver.url, ENDPOINTS]);
  const sender = await openSteadySender(service.target);
  closers.add(async () => sender.close());
  const render = (source: Source, user: User): Buffer =>
    renderRequest(service.target, source === "agent" ? newAgent(user) : newOrder(service, user));

  const readCpu = (): OperationCpu => ({
    serviceMs: readCpuMs([service.pid]),
    databaseMs: readCpuMs(listDescendants(service.pid).filter((pid) => pid !== ownPid)),
  });
  const measure = async (operations: number, work: () => Promise<void>): Promise<OperationCpu> => {
    const before = readCpu();
    await work();
    const after = readCpu();
    return {
      serviceMs: (after.serviceMs - before.serviceMs) / operations,
      databaseMs: (after.databaseMs - before.databaseMs) / operations,
    };
  };
  return {
    name: options.name,
    sendSteadily: async (source, seconds, isHeard) => {
      const requests = (isHeard ? heard : unheard).map((user) => render(source, user));
      let sent: readonly Sent[] = [];
      const cpu = await measure(EVENTS_PER_SECOND * seconds, async () => {
        sent = await sender.send(requests, { perSecond: EVENTS_PER_SECOND, seconds });
        await waitUntilEmpty(sql);
      });
      const latencies = isHeard ? await readLatencies(sql, sent) : { p50Ms: Number.NaN, p99Ms: Number.NaN };
      return { ...cpu, ...latencies };
    },
    fanOut: async (source, count) => {
      const send = async (): Promise<void> => {
        await sender.sendOne(render(source, crowd));
        await waitUntilEmpty(sql);
      };
      // Opens connections to the receiver, which were closed meanwhile.
      await send();
      return measure(count * ENDPOINTS, async () => {
        for (let event = 0; event < count; event += 1) await send();
      });
    },
    drain: async (deliveries) => {
      const drain = async (count: number): Promise<void> => {
        await sql.query(INSERT_EVENTS, [count, ENDPOINTS]);
        await waitUntilEmpty(sql);
      };
      await drain(ENDPOINTS);
      return measure(deliveries, () => drain(deliveries));
    },
    idle: (seconds) => measure(seconds, async () => sleep(seconds * 1_000)),
  };
}

/** Users without an account, which nobody signs in to: they take no time to create. */
const CREATE_ENDPOINTS = `
  with users as (
    insert into auth.users (id, email)
    select ('00000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid, n || '@example.test'
    from generate_series(1, $2::integer) n
    returning id)
  insert into public.webhooks (user_id, name, url, events)
  select id, 'bench', $1 || right(id::text, 3), '{agent.created}' from users`;

const INSERT_EVENTS = `
  insert into private.events (type, data, audience)
  select 'agent.created', json_build_object('text', repeat('x', 250)),
    array[('00000000-0000-4000-8000-' || lpad((1 + n % $2)::text, 12, '0'))::uuid]
  from generate_series(1, $1::integer) n`;

function newAgent({ headers }: User): HttpRequest {
  return {
    method: "POST",
    path: "/rest/v1/agents?select=*",
    headers: { ...headers, prefer: "return=representation" },
    body: JSON.stringify(NEW_AGENT),
  };
}

function newOrder({ serviceRole }: Version, user: User): HttpRequest {
  const event = { type: APP_TYPE.name, data: ORDER, user_id: user.id };
  return {
    method: "POST",
    path: "/functions/v1/events",
    headers: serviceRole.headers,
    body: JSON.stringify({ action: "emit", events: [event] }),
  };
}

/** No event waits to be fanned out, and no delivery for its outcome. */
async function waitUntilEmpty(sql: pg.Client): Promise<void> {
  const text = `select exists (select from private.events) or exists (select from private.webhook_queue) as is_busy`;
  for (;;) {
    const { rows } = await sql.query<{ is_busy: boolean }>({ name: "is-busy", text });
    if (rows[0]?.is_busy === false) return;
    await sleep(POLL_MS);
  }
}

/** From the moment at which the request was due until the time of the transaction that recorded the delivery. */
async function readLatencies(
  sql: pg.Client,
  sent: readonly Sent[],
): Promise<{ readonly p50Ms: number; readonly p99Ms: number }> {
  const { rows } = await sql.query<{ id: string; delivered_at_ms: number }>(
    `select named.id, (extract(epoch from d.delivered_at) * 1000)::float8 as delivered_at_ms
     from public.webhook_deliveries d
     cross join lateral (select coalesce(d.payload -> 'data' ->> 'agent_id', d.payload ->> 'id') as id) as named
     where named.id = any($1) and d.status = 'delivered'`,
    [sent.map(({ id }) => id)],
  );
  if (rows.length !== sent.length) throw new Error(`${sent.length - rows.length} events were not delivered`);
  const dueAtMs = new Map(sent.map(({ id, dueAtMs: at }) => [id, at]));
  const latenciesMs = rows
    .map(({ id, delivered_at_ms: atMs }) => atMs - (dueAtMs.get(id) ?? Number.NaN))
    .toSorted((one, other) => one - other);
  const at = (share: number): number => latenciesMs[Math.floor(latenciesMs.length * share)] ?? Number.NaN;
  return { p50Ms: at(0.5), p99Ms: at(0.99) };
}
