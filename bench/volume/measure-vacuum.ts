import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import { openSteadySender } from "../costs/steady-sender.ts";
import type { Closers } from "../load/closers.ts";
import { renderRequest } from "../load/http-connection.ts";
import { NEW_AGENT } from "../rest/operations.ts";
import type { WebhookReceiver } from "../webhooks/start-receiver.ts";
import type { Volume } from "./open-volume.ts";
import { type Maintained, readMaintained } from "./read-maintained.ts";

/** One table that the deliveries of the phase wrote to. */
export interface VacuumedTable {
  readonly name: string;
  /** Rows that were updated or deleted. */
  readonly replaced: number;
  readonly vacuums: number;
  readonly mostDead: number;
  /** Dead rows at which vacuum is due, and what is replaced in the minute until autovacuum looks again. */
  readonly deadLimit: number;
  readonly mostBytes: number;
}

export interface VacuumPhase {
  readonly seconds: number;
  readonly delivered: number;
  readonly tables: readonly VacuumedTable[];
}

const ENDPOINTS = 100;
const EVENTS_PER_SECOND = 4;
/** The default of autovacuum_naptime. */
const NAP_SECONDS = 60;
const POLL_MS = 500;

/** Events are delivered, whose rows are inserted, updated and deleted, while autovacuum works as it does in service. */
export async function measureVacuum(
  { service, connect }: Volume,
  sendingSeconds: number,
  receiver: WebhookReceiver,
  closers: Closers,
): Promise<VacuumPhase> {
  const owner = await connect();
  const user = await service.signUp();
  const webhooks = Array.from({ length: ENDPOINTS }, (_, at) => ({
    name: "bench",
    url: `${receiver.url}${at}`,
    events: ["agent.created"],
  }));
  await service.insert(user, "webhooks", webhooks);
  const sender = await openSteadySender(service.target);
  closers.add(async () => sender.close());
  const request = renderRequest(service.target, {
    method: "POST",
    path: "/rest/v1/agents?select=*",
    headers: { ...user.headers, prefer: "return=representation" },
    body: JSON.stringify(NEW_AGENT),
  });
  // The costs were measured in transactions that were rolled back.
  await owner.query(
    "vacuum public.webhook_deliveries, private.events, private.webhook_queue, private.webhook_endpoint_queues",
  );
  await receiver.count();
  const samples: (readonly Maintained[])[] = [await readMaintained(owner)];
  const start = performance.now();
  let isSent = false;
  const sending = sender
    .send([request], { perSecond: EVENTS_PER_SECOND, seconds: sendingSeconds })
    .finally(() => (isSent = true));
  while (!isSent || (await isBusy(owner))) {
    samples.push(await readMaintained(owner));
    await sleep(POLL_MS);
  }
  await sending;
  const seconds = (performance.now() - start) / 1_000;
  return { seconds, delivered: await receiver.count(), tables: summarise(samples, seconds) };
}

function summarise(samples: readonly (readonly Maintained[])[], seconds: number): VacuumedTable[] {
  const last = samples.at(-1) ?? [];
  return last.map(({ name, replaced, vacuums, dueAtDead }) => {
    const states = samples.flatMap((tables) => tables.filter((table) => table.name === name));
    const done = replaced - (states[0]?.replaced ?? 0);
    return {
      name,
      replaced: done,
      vacuums: vacuums - (states[0]?.vacuums ?? 0),
      mostDead: Math.max(...states.map(({ dead }) => dead)),
      deadLimit: Math.round(dueAtDead + (done / seconds) * NAP_SECONDS),
      mostBytes: Math.max(...states.map(({ bytes }) => bytes)),
    };
  });
}

async function isBusy(owner: pg.Client): Promise<boolean> {
  const { rows } = await owner.query<{ is_busy: boolean }>(
    "select exists (select from private.events) or exists (select from private.webhook_queue) as is_busy",
  );
  return rows[0]?.is_busy ?? true;
}
