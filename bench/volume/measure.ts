import { readFile } from "node:fs/promises";
import type pg from "pg";
import type { Owners } from "./fill.ts";

const CALLS = 200;
const WARM_UP = 40;
/** Those that clients look at. What nobody reads is on the disk, at any volume. */
const READ_IDS = 20;

/** CPU of the connection's backend for one call in µs: the lower quartile. */
async function measureCpu(client: pg.Client, call: (number: number) => Promise<unknown>): Promise<number> {
  const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
  const read = async (): Promise<number> =>
    Number((await readFile(`/proc/${rows[0]?.pid}/schedstat`, "utf8")).split(" ")[0]) / 1_000;
  const costs: number[] = [];
  for (let number = 0; number < WARM_UP + CALLS; number += 1) {
    const before = await read();
    await call(number);
    if (number >= WARM_UP) costs.push((await read()) - before);
  }
  return costs.toSorted((one, other) => one - other)[CALLS / 4] ?? Number.NaN;
}

/** As a user reads the latest 20 of one webhook and of one swarm. */
export async function measureLists(owner: pg.Client, userId: string, { webhookIds, swarmIds }: Owners) {
  const list = (name: string, text: string, ids: readonly string[]): Promise<number> =>
    measureCpu(owner, (number) => owner.query({ name, text, values: [userId, ids[number % READ_IDS]] }));
  return {
    "list 20 deliveries of a webhook": await list(
      "list-deliveries",
      `select id, status, attempts, created_at from public.webhook_deliveries
       where user_id = $1 and webhook_id = $2 order by created_at desc limit 20`,
      webhookIds,
    ),
    "list 20 deliveries of a user": await list(
      "list-all-deliveries",
      `select id, status, attempts, created_at from public.webhook_deliveries
       where user_id = $1 and $2::uuid is not null order by created_at desc limit 20`,
      webhookIds,
    ),
    "list 20 messages of a swarm": await list(
      "list-messages",
      `select id, sender_name, content, created_at from public.messages
       where $1::uuid is not null and swarm_id = $2 order by seq desc limit 20`,
      swarmIds,
    ),
  };
}

/** One event through the queue: turned into 20 deliveries, claimed and recorded, in a transaction that is rolled back. */
export async function measureClaim(owner: pg.Client) {
  const taken = await measureCpu(owner, async () => {
    await owner.query("begin");
    await owner.query(
      `insert into private.events (type, data, audience)
       select 'agent.created', '{}', array[(select user_id from public.webhooks limit 1)]`,
    );
    await owner.query("select count(*) from private.fan_out_events(1, interval '0')");
    await owner.query(
      `with claimed as (select * from private.claim_webhook_deliveries(private.new_id(), interval '1 minute', 20, 20, 1, '{}', '{}', '{}'))
       select count(*) from claimed`,
    );
    await owner.query("rollback");
  });
  return { "fan out one event to 200 webhooks, claim 20": taken };
}

/** One batch of row by row retention, rolled back: what is left to it are tables in one partition. */
export async function measureDelete(owner: pg.Client) {
  const deleted = await measureCpu(owner, async () => {
    await owner.query("begin");
    await owner.query(
      "select private.prune_webhook_rows('public.webhook_deliveries', interval '30 days', '00000000-0000-0000-0000-000000000000', 500)",
    );
    await owner.query("rollback");
  });
  return { "delete 500 old deliveries one by one": deleted };
}
