import pg from "pg";
import { writeScript } from "../agents/script-marker.ts";
import type { User, Version } from "../versions/start-version.ts";
import type { AttackContext } from "./attacks.ts";

export interface Attacker extends AttackContext {
  /** Stores deliveries to an endpoint that never answers. Returns a function that removes them. */
  queueDeliveries(count: number): Promise<() => Promise<void>>;
}

const SWARMS = 100;
const MESSAGES = 20_000;
const ENDLESS = { delayMs: 0, pieces: 1_000_000, piecesPerSecond: 20, isStamped: false };

/** An ordinary user with many rows. Rows that the interface would take long to accept are inserted by statement. */
export async function prepareAttacker(version: Version, hangingUrl: string): Promise<Attacker> {
  const user = await version.signUp();
  const [agentId] = await version.insert(user, "agents", [
    { name: "Agent", framework: "provider_a", system_prompt: writeScript(ENDLESS) },
  ]);
  const [briefAgentId = ""] = await version.insert(user, "agents", [{ name: "Brief", framework: "provider_a" }]);
  const names = Array.from({ length: SWARMS }, (_, number) => ({ name: `Swarm ${number}` }));
  const swarmIds = await version.insert(user, "swarms", names);
  const placed = swarmIds.map((swarmId) => ({ swarm_id: swarmId, agent_id: agentId, position: 0 }));
  await version.insert(user, "swarm_agents", placed);
  await version.insert(user, "webhooks", [{ name: "hangs", url: hangingUrl, events: ["agent.created"] }]);
  await withOwner(version, (client) => insertMessages(client, user, swarmIds[0] ?? ""));
  return {
    target: version.target,
    apikey: user.headers["apikey"] ?? "",
    headers: user.headers,
    email: user.email,
    swarmIds,
    briefAgentId,
    queueDeliveries: (count) => queueDeliveries(version, user, count),
  };
}

async function insertMessages(client: pg.Client, user: User, swarmId: string): Promise<void> {
  await client.query(
    `insert into public.messages (swarm_id, sender_type, sender_user_id, content)
     select $1, 'user', $2, repeat(md5(n::text), 32) from generate_series(1, $3::integer) n`,
    [swarmId, user.id, MESSAGES],
  );
}

/** As the fan-out stores them: in transactions of some hundred rows. */
const DELIVERIES_AT_ONCE = 500;

async function queueDeliveries(version: Version, user: User, count: number): Promise<() => Promise<void>> {
  await withOwner(version, async (client) => {
    for (let stored = 0; stored < count; stored += DELIVERIES_AT_ONCE)
      await client.query(QUEUE_DELIVERIES, [user.id, DELIVERIES_AT_ONCE, stored]);
  });
  return () =>
    withOwner(version, async (client) => {
      const own = "select id from public.webhooks where user_id = $1";
      await client.query(`delete from private.webhook_queue where webhook_id in (${own})`, [user.id]);
      await client.query("delete from public.webhooks where user_id = $1", [user.id]);
    });
}

const QUEUE_DELIVERIES = `
  with stored as (
    insert into public.webhook_deliveries (webhook_id, user_id, event_id, event_type, payload)
    select w.id, w.user_id, gen_random_uuid(), 'agent.created', json_build_object('n', n)
    from public.webhooks w, generate_series(1, $2::integer) n where w.user_id = $1
    returning id, webhook_id
  ), queued as (
    insert into private.webhook_queue (delivery_id, webhook_id, event_seq)
    select id, webhook_id, $3::integer + row_number() over () from stored
  )
  insert into private.webhook_endpoint_queues (webhook_id)
  select w.id from public.webhooks w where w.user_id = $1
  on conflict (webhook_id) do update set next_due_at = now()`;

async function withOwner(version: Version, work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: version.databaseUrl });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}
