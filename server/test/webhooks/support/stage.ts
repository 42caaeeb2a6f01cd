import { randomUUID } from "node:crypto";
import { createAddressPolicy, openOutbound, type Outbound } from "@swarmbase/guarded-fetch";
import pg from "pg";
import { openDatabase } from "../../../src/db/index.ts";
import type { Observer } from "../../../src/observe/index.ts";
import { systemClock } from "../../../src/time/index.ts";
import { openWebhooks, type WebhookModule, type WebhooksOptions } from "../../../src/webhooks/index.ts";
import { type Cleanup, createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { RECEIVER_CA } from "./receiver.ts";

interface Note {
  readonly name: string;
  readonly fields: Record<string, unknown>;
}

interface NodeOptions {
  readonly settings?: Partial<WebhooksOptions["settings"]>;
  readonly times?: WebhooksOptions["times"];
  readonly outbound?: Outbound;
  readonly listens?: boolean;
}

export interface RunningNode {
  readonly webhooks: WebhookModule;
  readonly notes: readonly Note[];
  stop(): Promise<void>;
}

export interface Stage {
  readonly database: TestDatabase;
  readonly sql: pg.Client;
  readonly closers: Cleanup;
  newUser(): Promise<string>;
  newWebhook(userId: string, url: string, more?: Record<string, unknown>): Promise<string>;
  /** Inserts agents, each of which is an event. Returns their ids. */
  newAgents(userId: string, count?: number): Promise<string[]>;
  rows<Row>(text: string, values?: readonly unknown[]): Promise<Row[]>;
  /** Opens the module without running its workers. */
  open(options?: NodeOptions): { webhooks: WebhookModule; notes: Note[] };
  /** Opens the module and runs its workers until it is stopped or the test ends, so that a failed test disturbs no other one. */
  start(t: Cleanup, options?: NodeOptions): RunningNode;
  /** Changes rows that running workers use: repeats a statement that PostgreSQL aborts in a deadlock with a worker. */
  change(text: string, values?: readonly unknown[]): Promise<void>;
}

/** SQLSTATE deadlock_detected. */
const DEADLOCK = "40P01";

const SETTINGS = {
  webhookRetrySchedule: [0, 60, 300, 1800, 7200],
  webhookConcurrency: 256,
  webhookEndpointConcurrency: 8,
  webhookQueueLimit: 0,
  limitWebhooks: 0,
  webhookRetentionDays: 30,
  stopTimeoutMs: 2_000,
};

export async function openStage(t: Cleanup): Promise<Stage> {
  const closers: (() => Promise<void>)[] = [];
  t.after(async () => {
    for (const close of closers.splice(0).reverse()) await close();
  });
  const cleanup: Cleanup = { after: (close) => void closers.push(close) };
  const database = await createTestDatabase(cleanup);
  const sql = database.owner;

  const open: Stage["open"] = (options = {}) => {
    const notes: Note[] = [];
    const observer: Observer = {
      note: (name, fields = {}) => void notes.push({ name, fields }),
      child: () => observer,
    };
    const { masterKey, adminUrl } = database;
    const pools = openDatabase({ url: adminUrl, masterKey, poolSize: 6, observer });
    cleanup.after(() => pools.close());
    const outbound = options.outbound ?? openTestOutbound(cleanup);
    const webhooks = openWebhooks({
      database: pools,
      outbound,
      listenUrl: options.listens === false ? null : database.url("sb_service"),
      settings: { ...SETTINGS, ...options.settings },
      observer,
      clock: systemClock,
      ...(options.times === undefined ? {} : { times: options.times }),
    });
    return { webhooks, notes };
  };

  return {
    database,
    sql,
    closers: cleanup,
    open,
    start: (t, options) => {
      const { webhooks, notes } = open(options);
      const stopping = new AbortController();
      const running = Promise.all(
        [...webhooks.workers, ...webhooks.nodeWorkers].map((worker) => worker.run(stopping.signal)),
      );
      const stop = async (): Promise<void> => {
        stopping.abort();
        await running;
      };
      t.after(stop);
      return { webhooks, notes, stop };
    },
    change: async (text, values = []) => {
      for (;;) {
        try {
          await sql.query(text, [...values]);
          return;
        } catch (error) {
          if (!(error instanceof pg.DatabaseError) || error.code !== DEADLOCK) throw error;
        }
      }
    },
    newUser: async () => {
      const id = randomUUID();
      await sql.query("insert into auth.users (id, email) values ($1, $2)", [id, `${id}@example.test`]);
      return id;
    },
    newWebhook: async (userId, url, more = {}) => {
      const row = { user_id: userId, name: "hook", url, events: ["agent.created"], ...more };
      const columns = Object.keys(row);
      const { rows } = await sql.query<{ id: string }>(
        `insert into public.webhooks (${columns.join(", ")}) values (${columns.map((_, i) => `$${i + 1}`).join(", ")}) returning id`,
        Object.values(row),
      );
      return rows[0]?.id ?? "";
    },
    newAgents: async (userId, count = 1) => {
      const { rows } = await sql.query<{ id: string }>(
        `insert into public.agents (user_id, name) select $1, 'agent ' || n from generate_series(1, $2) as n returning id`,
        [userId, count],
      );
      return rows.map((row) => row.id);
    },
    rows: async <Row>(text: string, values: readonly unknown[] = []) =>
      (await sql.query(text, [...values])).rows as Row[],
  };
}

function openTestOutbound(t: Cleanup): Outbound {
  const outbound = openOutbound({
    policy: createAddressPolicy({ allowedCidrs: ["127.0.0.0/8"] }),
    ca: [RECEIVER_CA],
    connectionsPerOrigin: 128,
    maxOrigins: 100,
  });
  t.after(() => outbound.close());
  return outbound;
}
