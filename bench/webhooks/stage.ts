import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createAddressPolicy, openOutbound, type Outbound } from "@swarmbase/guarded-fetch";
import type pg from "pg";
import { openDatabase, withDatabase } from "../../server/src/db/index.ts";
import { makeAuthority, makeLeaf } from "../../server/src/http/server/tls/certificate.ts";
import { systemClock } from "../../server/src/time/index.ts";
import { openWebhooks } from "../../server/src/webhooks/index.ts";
import { startTestCluster, TEMPLATE } from "../../server/test/support/cluster.ts";
import { silentObserver } from "../../server/test/support/silent-observer.ts";
import { findPostmaster, withClient } from "../rest/stage.ts";

const DAY_MS = 86_400_000;
const RECEIVER = fileURLToPath(new URL("./receiver.ts", import.meta.url));

export interface Counted {
  readonly received: number;
  readonly latenciesMs: number[];
}

export interface Stage {
  /** Pool of the writers; the webhook module has its own connections, as in the service. */
  readonly pool: pg.Pool;
  readonly webhookPool: pg.Pool;
  readonly outbound: Outbound;
  /** The address of the receiver, and the authority of its certificate. */
  readonly url: string;
  readonly ca: string;
  readonly adminUrl: string;
  readonly receiverPid: number;
  /** Its children do the work of the database. */
  readonly postmasterPid: number;
  createDatabase(name: string): Promise<void>;
  /** A checkpoint, so that no contender pays for earlier writes. */
  checkpoint(): Promise<void>;
  /** The number of requests that the receiver got since the last call. */
  count(): Promise<Counted>;
  /** Creates this many users with one webhook each and removes earlier ones. */
  prepare(endpoints: number, url?: (endpoint: number) => string): Promise<void>;
  /** Writes events of 1 KiB for the users in turn. */
  insertEvents(count: number, endpoints: number): Promise<void>;
  /** Writes one event for one user; returns its id. */
  insertEvent(endpoint: number): Promise<string>;
  /** Starts a node; sends per minute are limited only on request. */
  start(limitWebhooks?: number): { wake(): void; stop(): Promise<void> };
  close(): Promise<void>;
}

/** PostgreSQL with fsync on, a receiver over TLS in a separate process, the webhook module in this one. */
export async function openStage(): Promise<Stage> {
  const validity = { notBefore: new Date(Date.now() - DAY_MS), notAfter: new Date(Date.now() + DAY_MS) };
  const authority = makeAuthority(validity);
  const folder = await mkdtemp(join(tmpdir(), "swarmbase-bench-"));
  await chmod(folder, 0o711);
  const cluster = await startTestCluster(folder);
  const { masterKey, adminUrl } = cluster;
  const url = withDatabase(adminUrl, TEMPLATE);
  const database = openDatabase({ url, masterKey, poolSize: 8, observer: silentObserver });
  const { service: pool, work: webhookPool } = database;
  const outbound = openOutbound({
    policy: createAddressPolicy({ allowedCidrs: ["127.0.0.0/8"] }),
    ca: [authority.cert],
    connectionsPerOrigin: 64,
    maxOrigins: 10,
  });
  const receiver: ChildProcess = fork(RECEIVER);
  receiver.send(makeLeaf(authority, validity));
  const [{ port }] = (await once(receiver, "message")) as [{ port: number }];
  const receiverUrl = `https://127.0.0.1:${port}`;

  return {
    pool,
    webhookPool,
    outbound,
    url: receiverUrl,
    ca: authority.cert,
    adminUrl,
    receiverPid: receiver.pid ?? 0,
    postmasterPid: await withClient(adminUrl, findPostmaster),
    createDatabase: (name) => asAdmin(adminUrl, `create database ${name}`),
    checkpoint: () => asAdmin(adminUrl, "checkpoint"),
    count: async () => {
      receiver.send({});
      return ((await once(receiver, "message")) as [Counted])[0];
    },
    prepare: async (endpoints, urlOf = (endpoint) => `${receiverUrl}/${endpoint}`) => {
      // Truncated instead of deleted, because vacuuming would be part of the measurement.
      await asAdmin(
        url,
        "truncate auth.users, private.webhook_queue, private.webhook_endpoint_queues, private.events, private.webhook_send_windows cascade",
      );
      await pool.query(
        `insert into auth.users (id, email)
         select ('00000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid, n || '@example.test'
         from generate_series(1, $1) n`,
        [endpoints],
      );
      const urls = Array.from({ length: endpoints }, (_, i) => urlOf(i + 1));
      await pool.query(
        `insert into public.webhooks (user_id, name, url, events)
         select ('00000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid, 'hook', url, '{agent.created}'
         from unnest($1::text[]) with ordinality as given (url, n)`,
        [urls],
      );
    },
    insertEvents: async (count, endpoints) => {
      await pool.query(
        `insert into private.events (type, data, audience)
         select 'agent.created',
           json_build_object('text', repeat('x', 850), 'sent_at_ms', (extract(epoch from clock_timestamp()) * 1000)::float8),
           array[('00000000-0000-4000-8000-' || lpad((1 + n % $2)::text, 12, '0'))::uuid]
         from generate_series(1, $1::integer) n`,
        [count, endpoints],
      );
    },
    insertEvent: async (endpoint) => {
      const { rows } = await pool.query<{ id: string }>(
        `insert into private.events (type, data, audience) values ('agent.created',
           json_build_object('text', repeat('x', 850), 'sent_at_ms', (extract(epoch from clock_timestamp()) * 1000)::float8),
           array[$1::uuid])
         returning id`,
        [`00000000-0000-4000-8000-${String(endpoint).padStart(12, "0")}`],
      );
      return rows[0]?.id ?? "";
    },
    start: (limitWebhooks = 0) => {
      const webhooks = openWebhooks({
        database: { service: webhookPool },
        outbound,
        listenUrl: null,
        settings: {
          webhookRetrySchedule: [0, 60],
          webhookConcurrency: 256,
          webhookEndpointConcurrency: 8,
          webhookQueueLimit: 0,
          limitWebhooks,
          webhookRetentionDays: 0,
          stopTimeoutMs: 1_000,
        },
        observer: silentObserver,
        clock: systemClock,
      });
      const stopping = new AbortController();
      const running = Promise.all(
        [...webhooks.workers, ...webhooks.nodeWorkers].map((worker) => worker.run(stopping.signal)),
      );
      return {
        wake: () => webhooks.wake(),
        stop: async () => {
          stopping.abort();
          await running;
        },
      };
    },
    close: async () => {
      receiver.disconnect();
      await outbound.close();
      await database.close();
      await cluster.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function asAdmin(url: string, statement: string): Promise<void> {
  await withClient(url, (admin) => admin.query(statement));
}
