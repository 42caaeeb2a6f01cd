import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { Agent, fetch } from "undici";
import { type Cleanup, createTestDatabase } from "../../../../server/test/support/database.ts";
import { type RunningService, startService } from "../../../../server/test/support/service.ts";
import { createTemporaryFolder } from "../../../../server/test/support/temporary-folder.ts";
import { until } from "../../../../server/test/support/until.ts";
import { SENDERS } from "./senders.ts";

export interface KillOptions {
  readonly nodes: number;
  readonly kills: number;
  /** Events that are sent between two kills, all at once. */
  readonly perKill: number;
}

const RETRY_MS = 50;

/** Nodes on one database are killed, one after the other, while another system sends events and repeats what was not accepted. */
export async function receiveThroughKills(t: Cleanup, { nodes, kills, perKill }: KillOptions): Promise<void> {
  // What was opened last is closed first.
  const closers: (() => Promise<void>)[] = [];
  const cleanup = { after: (close: () => Promise<void>) => void closers.unshift(close) };
  t.after(async () => {
    for (const close of closers) await close();
  });
  const { adminUrl: DATABASE_URL, masterKey: MASTER_KEY } = await createTestDatabase(cleanup);
  const sql = new pg.Client({ connectionString: DATABASE_URL });
  await sql.connect();
  cleanup.after(() => sql.end());
  const env = {
    DATABASE_URL,
    MASTER_KEY,
    EXTENSIONS: "triggers",
    PROVIDER_A_KIND: "simulated",
    AGENT_RUN_LEASE_SECONDS: "3",
    LIMIT_AI: "0",
  };
  const start = async (): Promise<RunningService> =>
    startService(cleanup, { dataDir: await createTemporaryFolder(cleanup, "swarmbase-triggers-"), env });
  const running = await Promise.all(Array.from({ length: nodes }, start));
  const triggers = await openTriggers(running, cleanup);
  const accepted = new Map<string, string>();
  for (let round = 0; round < kills; round += 1) {
    const events = Array.from({ length: perKill }, (_, place) => `evt_${round}_${place}`);
    const sending = Promise.all(
      events.map(async (id, place) => {
        const trigger = triggers[place % triggers.length];
        assert.ok(trigger);
        accepted.set(id, await sendUntilAccepted(running, trigger, id));
      }),
    );
    const wanted = accepted.size + Math.ceil((perKill / 2) * Math.random());
    await until(async () => accepted.size >= wanted, "some of the events are accepted");
    const killed = running.shift();
    await killed?.stop("SIGKILL");
    running.push(await start());
    await sending;
  }
  const open = "select 1 from public.trigger_calls where finished_at is null";
  await until(async () => (await sql.query(open)).rowCount === 0, "every run has ended");
  const { rows } = await sql.query(
    `select c.event_id, c.id, count(distinct r.id)::int as runs, count(m.id)::int as messages
     from public.trigger_calls c
     left join public.runs r on r.cause ->> 'call_id' = c.id::text
     left join public.messages m on m.id = r.message_id
     group by c.event_id, c.id`,
  );
  assert.equal(rows.length, kills * perKill, "each event has one call");
  for (const { event_id, ...found } of rows)
    assert.deepEqual(found, { id: accepted.get(event_id), runs: 1, messages: 1 }, event_id);
}

interface KilledTrigger {
  readonly id: string;
  readonly secret: string;
  readonly dispatcher: Agent;
}

/** Of three people, one each. */
async function openTriggers(running: readonly RunningService[], cleanup: Cleanup): Promise<readonly KilledTrigger[]> {
  const [service] = running;
  assert.ok(service);
  const { url, anon_key: apikey } = service.credentials;
  return Promise.all(
    ["ada", "bob", "cal"].map(async (name) => {
      // Each node has a certificate of its own.
      const dispatcher = new Agent({ connect: { rejectUnauthorized: false } });
      cleanup.after(() => dispatcher.destroy());
      let token = apikey;
      const send = async (path: string, body: object): Promise<ReturnType<typeof JSON.parse>> => {
        const headers = {
          apikey,
          authorization: `Bearer ${token}`,
          prefer: "return=representation",
          "content-type": "application/json",
        };
        const sent = await fetch(new URL(path, url), {
          method: "POST",
          headers,
          body: JSON.stringify(body),
          dispatcher,
        });
        assert.ok(sent.ok, await sent.clone().text());
        return sent.json();
      };
      const credentials = { email: `${name}@example.com`, password: "correct horse battery" };
      token = (await send("/auth/v1/signup", credentials)).access_token;
      const [agent] = await send("/rest/v1/agents", { name: "Ann" });
      const row = {
        name,
        agent_id: agent.id,
        message: "Say hello to {{id}}.",
        verification: "stripe",
        conversation: "new",
      };
      const [{ id }] = await send("/rest/v1/triggers", { ...row, calls_per_minute: 6000 });
      const { secret } = await send("/functions/v1/triggers", { action: "set_secret", trigger_id: id });
      return { id, secret, dispatcher };
    }),
  );
}

/** Returns the id of the call. */
async function sendUntilAccepted(
  running: readonly RunningService[],
  { id, secret, dispatcher }: KilledTrigger,
  eventId: string,
): Promise<string> {
  for (let attempt = 0; ; attempt += 1) {
    const { url } = running[attempt % running.length]?.credentials ?? {};
    const { headers, body } = SENDERS.stripe({ id: eventId }, { secret });
    try {
      const address = new URL(`/triggers/v1/${id}`, url);
      const sent = await fetch(address, { method: "POST", headers: { ...headers }, body, dispatcher });
      const answer = (await sent.json()) as { readonly call_id: string };
      if (sent.status === 202) return answer.call_id;
      assert.ok(sent.status >= 500, JSON.stringify(answer));
    } catch (error) {
      if (error instanceof assert.AssertionError) throw error;
    }
    await sleep(RETRY_MS);
  }
}
