import { createHmac, randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { Agent, request } from "undici";
import { withDatabase } from "../../../server/src/db/index.ts";
import type { Load } from "../contender.ts";
import type { Stage } from "../stage.ts";

/** The payload of a job. */
export interface PeerJob {
  readonly deliveryId: string;
  readonly url: string;
  readonly secret: string;
  readonly body: string;
}

export interface SentJob {
  readonly deliveryId: string;
  readonly status: number;
  readonly responseBody: string;
  readonly durationMs: number;
}

/** The typical code around a queue to deliver webhooks: a signature, a POST with a deadline, a row for the attempt. */
export interface PeerDeliveries {
  readonly databaseUrl: string;
  readonly pool: pg.Pool;
  makeJobs(load: Load): PeerJob[];
  send(job: PeerJob): Promise<SentJob>;
  record(sent: readonly SentJob[]): Promise<void>;
  /** Waits until the receiver has everything, the queue is empty and all attempts are recorded. */
  waitUntilDone(load: Load, isQueueEmpty: () => Promise<boolean>): Promise<void>;
  clear(): Promise<void>;
  close(): Promise<void>;
}

const SECRET = "whsec_QmVuY2htYXJrQmVuY2htYXJrQmVuY2htYXJrMDAwMDA=";
const CONNECTIONS = 64;
const TIMEOUT_MS = 30_000;

/** A separate database on the shared cluster. */
export async function openPeerDeliveries(stage: Stage, name: string): Promise<PeerDeliveries> {
  await stage.createDatabase(name);
  const databaseUrl = withDatabase(stage.adminUrl, name);
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 8 });
  const agent = new Agent({ connections: CONNECTIONS, connect: { ca: stage.ca } });
  await pool.query(
    `create table attempts (delivery_id uuid not null, status_code integer not null, response_body text not null,
       response_time_ms integer not null, created_at timestamptz not null default now());
     create index on attempts (delivery_id)`,
  );
  return {
    databaseUrl,
    pool,
    makeJobs: ({ deliveries, endpoints }) =>
      Array.from({ length: deliveries }, (_, at) => ({
        deliveryId: randomUUID(),
        url: `${stage.url}/${1 + (at % endpoints)}`,
        secret: SECRET,
        body: JSON.stringify({ id: `evt_${randomUUID()}`, type: "agent.created", data: { text: "x".repeat(850) } }),
      })),
    send: async ({ deliveryId, url, secret, body }) => {
      const startedAtMs = performance.now();
      const timestamp = String(Math.floor(Date.now() / 1000));
      const signature = createHmac("sha256", secret).update(`${timestamp}.${body}`).digest("hex");
      const answer = await request(url, {
        method: "POST",
        dispatcher: agent,
        headers: {
          "content-type": "application/json",
          "x-service-delivery": deliveryId,
          "x-service-timestamp": timestamp,
          "x-service-signature": `sha256=${signature}`,
        },
        body,
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      const responseBody = await answer.body.text();
      const durationMs = Math.round(performance.now() - startedAtMs);
      return { deliveryId, status: answer.statusCode, responseBody, durationMs };
    },
    record: async (sent) => {
      await pool.query(
        `insert into attempts (delivery_id, status_code, response_body, response_time_ms)
         select * from unnest($1::uuid[], $2::integer[], $3::text[], $4::integer[])`,
        [
          sent.map(({ deliveryId }) => deliveryId),
          sent.map(({ status }) => status),
          sent.map(({ responseBody }) => responseBody),
          sent.map(({ durationMs }) => durationMs),
        ],
      );
    },
    waitUntilDone: async ({ deliveries }, isQueueEmpty) => {
      for (let received = 0; received < deliveries; received += (await stage.count()).received) await sleep(20);
      while (!(await isQueueEmpty())) await sleep(5);
      const { rows } = await pool.query<{ count: string }>("select count(*) from attempts");
      if (Number(rows[0]?.count) < deliveries) throw new Error(`${name} lost the record of deliveries`);
    },
    clear: async () => {
      await pool.query("truncate attempts");
    },
    close: async () => {
      await pool.end();
      await agent.close();
    },
  };
}
