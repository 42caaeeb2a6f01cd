import { readFile } from "node:fs/promises";
import type pg from "pg";
import type { Owners } from "./fill.ts";
import type { Volume } from "./open-volume.ts";

/** µs of CPU of one backend for one call, in the order of the volumes. */
export interface Cost {
  readonly name: string;
  readonly costs: readonly number[];
}

export interface CostTiming {
  readonly rounds: number;
  readonly calls: number;
  /** Calls before those that count. */
  readonly warmUp: number;
}

interface Case {
  readonly name: string;
  call(client: pg.Client, owners: Owners, number: number): Promise<unknown>;
}

/** Those that clients look at. What nobody reads is on the disk, at any volume. */
const READ_IDS = 20;

/** The lists come first, because the others leave dead rows behind. */
const CASES: readonly Case[] = [
  list(
    "list 20 deliveries of a webhook",
    `select id, status, attempts, created_at from public.webhook_deliveries
     where user_id = $1 and webhook_id = $2 order by created_at desc limit 20`,
    ({ userId, webhookIds }, number) => [userId, webhookIds[number % READ_IDS]],
  ),
  list(
    "list 20 deliveries of a user, who has all of them",
    "select id, status, attempts, created_at from public.webhook_deliveries where user_id = $1 order by created_at desc limit 20",
    ({ userId }) => [userId],
  ),
  list(
    "list 20 messages of a swarm, in one table",
    "select id, sender_name, content, created_at from public.messages where swarm_id = $1 order by seq desc limit 20",
    ({ swarmIds }, number) => [swarmIds[number % READ_IDS]],
  ),
  {
    name: "fan out one event to 200 webhooks, claim 20",
    call: (client, { userId }) =>
      rollBack(client, async () => {
        await client.query(
          "insert into private.events (type, data, audience) values ('agent.created', '{}', array[$1::uuid])",
          [userId],
        );
        await client.query("select count(*) from private.fan_out_events(max_events => 1, first_delay => interval '0')");
        await client.query(
          `with claimed as (select * from private.claim_webhook_deliveries(private.new_id(), interval '1 minute', 20, 20, 1, '{}', '{}', '{}'))
           select count(*) from claimed`,
        );
      }),
  },
  {
    // What is left to this are small tables.
    name: "delete 500 old deliveries one by one",
    call: (client) =>
      rollBack(client, () =>
        client.query(
          "select private.prune_webhook_rows('public.webhook_deliveries', interval '30 days', '00000000-0000-0000-0000-000000000000', 500)",
        ),
      ),
  },
];

/** The volumes take turns, in every order alike, because what ran before a call decides what the processor has cached. */
export async function measureCosts(
  volumes: readonly Volume[],
  { rounds, calls, warmUp }: CostTiming,
  onCase: (name: string) => void,
): Promise<readonly Cost[]> {
  const measured: Cost[] = [];
  for (const { name, call } of CASES) {
    onCase(name);
    const costs: number[][] = volumes.map(() => []);
    for (let round = 0; round < rounds; round += 1) {
      // New backends, which have done nothing else.
      const backends = await Promise.all(volumes.map(openBackend));
      for (let number = 0; number < warmUp + calls; number += 1) {
        for (const at of orderOf(volumes.length, number)) {
          const { client, owners, readCpu } = backends[at] as Backend;
          const before = await readCpu();
          await call(client, owners, number);
          if (number >= warmUp) costs[at]?.push((await readCpu()) - before);
        }
      }
      for (const { close } of backends) await close();
    }
    measured.push({ name, costs: costs.map(lowerQuartile) });
  }
  return measured;
}

/** Each starts as often as the others, in both directions. */
function orderOf(count: number, number: number): number[] {
  const order = Array.from({ length: count }, (_, at) => (at + number) % count);
  return Math.floor(number / count) % 2 === 0 ? order : order.toReversed();
}

type Backend = Awaited<ReturnType<typeof openBackend>>;

async function openBackend({ connect, owners }: Volume) {
  const client = await connect();
  const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
  const readCpu = async (): Promise<number> =>
    Number((await readFile(`/proc/${rows[0]?.pid}/schedstat`, "utf8")).split(" ")[0]) / 1_000;
  return { client, owners, readCpu, close: () => client.end() };
}

function list(name: string, text: string, valuesOf: (owners: Owners, number: number) => unknown[]): Case {
  return { name, call: (client, owners, number) => client.query({ name, text, values: valuesOf(owners, number) }) };
}

async function rollBack(client: pg.Client, work: () => Promise<unknown>): Promise<void> {
  await client.query("begin");
  await work();
  await client.query("rollback");
}

function lowerQuartile(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 4)] ?? Number.NaN;
}
