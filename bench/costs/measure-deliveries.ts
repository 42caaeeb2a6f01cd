import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { listDescendants, readCpuMs } from "../agents/descendants.ts";
import type { Closers } from "../load/closers.ts";
import { renderRequest } from "../load/http-connection.ts";
import { NEW_AGENT } from "../rest/operations.ts";
import type { Progress } from "../rest/progress.ts";
import { startVersion, type User, type Version } from "../versions/start-version.ts";
import { startReceiver } from "../webhooks/start-receiver.ts";
import { openSteadySender, type SentAgent } from "./steady-sender.ts";

export interface DeliveryTiming {
  readonly rounds: number;
  readonly seconds: number;
  readonly warmUpSeconds: number;
  readonly fannedOutEvents: number;
}

/** Milliseconds of CPU of one operation. */
export interface OperationCpu {
  readonly serviceMs: number;
  readonly databaseMs: number;
}

export interface SteadyRound extends OperationCpu {
  readonly p50Ms: number;
  readonly p99Ms: number;
}

export interface DeliveryCosts {
  /** Inserts that nobody listens to, at the same rate. */
  readonly unheard: readonly OperationCpu[];
  readonly delivered: readonly SteadyRound[];
  /** Of one delivery. */
  readonly fannedOut: readonly OperationCpu[];
  /** Milliseconds of CPU in a second without requests. */
  readonly idleMsPerSecond: number;
}

export const EVENTS_PER_SECOND = 200;
export const ENDPOINTS = 100;
const USERS = 20;
const IDLE_SECONDS = 5;
const POLL_MS = 10;

/** A whole service with its embedded database and one receiver, over HTTPS. */
export async function measureDeliveries(
  closers: Closers,
  progress: Progress,
  timing: DeliveryTiming,
): Promise<DeliveryCosts> {
  progress.stage("a service and a receiver start");
  const folder = await mkdtemp(join(tmpdir(), "swarmbase-bench-"));
  closers.add(() => rm(folder, { recursive: true, force: true }));
  const caFile = join(folder, "receiver.crt");
  const receiver = await startReceiver(caFile, closers);
  const service = await startVersion({
    name: "the service",
    folder: resolve(import.meta.dirname, "../.."),
    settings: { WEBHOOK_CA_FILE: caFile, WEBHOOK_ALLOWED_CIDRS: "127.0.0.0/8" },
  });
  closers.add(() => service.stop());
  const sql = new pg.Client(service.databaseUrl);
  await sql.connect();
  closers.add(() => sql.end());
  const unheardUsers = await signUp(service, []);
  const users = await signUp(service, [receiver.url]);
  const [fanOutUser] = await signUp(
    service,
    Array.from({ length: ENDPOINTS }, (_, at) => `${receiver.url}${at}`),
    1,
  );
  if (fanOutUser === undefined) throw new Error("there is no user");
  const sender = await openSteadySender(service.target);
  closers.add(async () => sender.close());
  const send = (to: readonly User[], seconds: number): Promise<readonly SentAgent[]> =>
    sender.send(
      to.map((user) => renderRequest(service.target, newAgent(user))),
      { perSecond: EVENTS_PER_SECOND, seconds },
    );

  const measure = async (operations: number, work: () => Promise<void>): Promise<OperationCpu> => {
    const before = readCpu(service);
    await work();
    const after = readCpu(service);
    return {
      serviceMs: (after.serviceMs - before.serviceMs) / operations,
      databaseMs: (after.databaseMs - before.databaseMs) / operations,
    };
  };
  const measureSteady = async (): Promise<SteadyRound> => {
    let sent: readonly SentAgent[] = [];
    const cpu = await measure(EVENTS_PER_SECOND * timing.seconds, async () => {
      sent = await send(users, timing.seconds);
      await waitUntilEmpty(sql);
    });
    return { ...cpu, ...(await readLatencies(sql, sent)) };
  };
  const fanOut = (): Promise<OperationCpu> =>
    measure(timing.fannedOutEvents * ENDPOINTS, async () => {
      for (let event = 0; event < timing.fannedOutEvents; event += 1) {
        await sender.sendOne(renderRequest(service.target, newAgent(fanOutUser)));
        await waitUntilEmpty(sql);
      }
    });

  progress.stage("inserts and deliveries are warmed up");
  await send(unheardUsers, timing.warmUpSeconds);
  await send(users, timing.warmUpSeconds);
  await fanOut();
  const { serviceMs, databaseMs } = await measure(IDLE_SECONDS, async () => sleep(IDLE_SECONDS * 1_000));
  const unheard: OperationCpu[] = [];
  const delivered: SteadyRound[] = [];
  const fannedOut: OperationCpu[] = [];
  for (let round = 1; round <= timing.rounds; round += 1) {
    progress.stage(`${EVENTS_PER_SECOND} events a second, round ${round} of ${timing.rounds}`);
    const operations = EVENTS_PER_SECOND * timing.seconds;
    unheard.push(await measure(operations, async () => void (await send(unheardUsers, timing.seconds))));
    delivered.push(await measureSteady());
    progress.stage(`one event to ${ENDPOINTS} endpoints, round ${round} of ${timing.rounds}`);
    fannedOut.push(await fanOut());
  }
  return { unheard, delivered, fannedOut, idleMsPerSecond: serviceMs + databaseMs };
}

/** Each with a webhook for every address. */
async function signUp(service: Version, urls: readonly string[], count = USERS): Promise<User[]> {
  const users: User[] = [];
  for (let at = 0; at < count; at += 1) {
    const user = await service.signUp();
    const webhooks = urls.map((url) => ({ name: "bench", url, events: ["agent.created"] }));
    if (webhooks.length > 0) await service.insert(user, "webhooks", webhooks);
    users.push(user);
  }
  return users;
}

function newAgent(user: User): Parameters<typeof renderRequest>[1] {
  return {
    method: "POST",
    path: "/rest/v1/agents?select=*",
    headers: { ...user.headers, prefer: "return=representation" },
    body: JSON.stringify(NEW_AGENT),
  };
}

function readCpu({ pid }: Version): OperationCpu {
  return { serviceMs: readCpuMs([pid]), databaseMs: readCpuMs(listDescendants(pid)) };
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
  sent: readonly SentAgent[],
): Promise<{ readonly p50Ms: number; readonly p99Ms: number }> {
  const { rows } = await sql.query<{ agent_id: string; delivered_at_ms: number }>(
    `select payload -> 'data' ->> 'agent_id' as agent_id, (extract(epoch from delivered_at) * 1000)::float8 as delivered_at_ms
     from public.webhook_deliveries where payload -> 'data' ->> 'agent_id' = any($1) and status = 'delivered'`,
    [sent.map(({ id }) => id)],
  );
  if (rows.length !== sent.length) throw new Error(`${sent.length - rows.length} events were not delivered`);
  const dueAtMs = new Map(sent.map(({ id, dueAtMs: at }) => [id, at]));
  const latenciesMs = rows
    .map(({ agent_id: id, delivered_at_ms: atMs }) => atMs - (dueAtMs.get(id) ?? Number.NaN))
    .toSorted((one, other) => one - other);
  const at = (share: number): number => latenciesMs[Math.floor(latenciesMs.length * share)] ?? Number.NaN;
  return { p50Ms: at(0.5), p99Ms: at(0.99) };
}
