import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import tls from "node:tls";
import { createClient } from "@supabase/supabase-js";
import { attach, respond, type RunStreamEvent } from "@swarmbase/sdk";
import pg from "pg";
import { clusterOf, postmasterPid } from "../embedded/running-service.ts";
import { startService } from "../support/service.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";
import { until } from "../support/until.ts";
import { fillDataDir } from "../support/used-data-dir.ts";
import { SEVERAL_STARTS } from "../support/wait-limit.ts";
import { ChaosClient } from "./client.ts";

const STREAMS = 6;
/** A few with every run of the suite, many with `npm run test:system -- chaos`. */
const ROUNDS = Number(process.env["KILL_ROUNDS"] ?? 2);
const RECONNECT = { attempts: 10_000, initialDelayMs: 20, maxDelayMs: 100 };

/** One agent in each of the swarms. */
const PREPARE = `
  with swarms as (insert into public.swarms (owner_id, name) select $1, 'swarm ' || n from generate_series(1, ${STREAMS}) as n returning id),
  agents as (insert into public.agents (user_id, name) select $1, id::text from swarms returning id, name)
  insert into public.swarm_agents (swarm_id, agent_id) select name::uuid, id from agents returning swarm_id as id`;

test("PostgreSQL that is killed under streams leaves no hole in them, nor in any later replay", {
  skip: process.platform === "win32" ? "the embedded server is killed by a signal" : false,
  ...SEVERAL_STARTS,
}, async (t) => {
  const dataDir = await createTemporaryFolder(t, "swarmbase-database-crash-");
  await fillDataDir(dataDir);
  const { credentials } = await startService(t, {
    dataDir,
    env: {
      PROVIDER_A_KIND: "simulated",
      SIMULATED_TOKENS_PER_SECOND: "20",
    },
  });
  tls.setDefaultCACertificates([
    ...tls.getCACertificates("default"),
    await readFile(credentials.ca_cert_file ?? "", "utf8"),
  ]);
  const user = await ChaosClient.signUp(credentials);
  t.after(() => user.close());
  const client = createClient(credentials.url, credentials.anon_key, { accessToken: async () => user.token });
  const query = <Row extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<Row[]> =>
    queryOnce<Row>(credentials.database_url, text, values);
  const swarms = await query<{ id: string }>(PREPARE, [user.userId]);

  for (let round = 0; round < ROUNDS; round += 1) {
    const target = round % 2 === 0 ? "a backend" : "the postmaster";
    const readers = swarms.map(({ id }) => new Reader(respond(client, ask(id), { reconnect: RECONNECT })));
    await until(() => readers.every(({ text }) => text.length > 40), "all agents speak");
    if (round % 2 === 0) await killBackend(credentials.database_url);
    else process.kill(postmasterPid(clusterOf(dataDir)), "SIGKILL");
    // These attach as soon as the database is back, from the start and after an event that may be lost.
    for (const { runId, ids } of readers.slice()) {
      readers.push(new Reader(attach(client, runId, { reconnect: RECONNECT })));
      readers.push(new Reader(attach(client, runId, { lastEventId: ids.at(-1) ?? 0, reconnect: RECONNECT })));
    }
    await Promise.all(readers.map(({ ended }) => ended));

    for (const { id } of swarms) {
      const [run] = await query<{ id: string; status: string; content: string }>(
        `select r.id, r.status, m.content from public.runs r join public.messages m on m.run_id = r.id and m.sender_type = 'agent'
         where r.swarm_id = $1 order by r.queued_at desc limit 1`,
        [id],
      );
      assert.ok(run !== undefined && run.status === "completed", target);
      const of = readers.filter(({ runId }) => runId === run.id);
      assert.equal(of.length, 3);
      // The third one did not begin at the start: it has what it missed.
      const [first, second, later] = of;
      assert.ok(first !== undefined && second !== undefined && later !== undefined);
      assert.equal(first.text, run.content, `the stream, after the end of ${target}`);
      assert.equal(second.text, run.content, `the stream that attached after the end of ${target}`);
      assert.ok(run.content.endsWith(later.text), `the stream that continued after the end of ${target}`);
      for (const lastEventId of [0, ...first.ids.slice(0, 20)]) {
        const replay = new Reader(attach(client, run.id, { lastEventId }));
        await replay.ended;
        const before: string = first.textUpTo(lastEventId);
        assert.equal(replay.restarts > 0 ? replay.text : before + replay.text, run.content, `after ${lastEventId}`);
      }
    }
  }
});

function ask(swarmId: string) {
  return { swarm_id: swarmId, message: "Tell me more. ".repeat(20) };
}

/** Reads a stream as a client does, and drops events that it has seen. */
class Reader {
  readonly ids: number[] = [];
  runId = "";
  text = "";
  restarts = 0;
  readonly ended: Promise<void>;
  readonly #texts = new Map<number, string>();

  constructor(stream: AsyncIterable<RunStreamEvent>) {
    this.ended = this.#read(stream);
    this.ended.catch(() => {});
  }

  textUpTo(id: number): string {
    return this.#texts.get(id) ?? "";
  }

  async #read(stream: AsyncIterable<RunStreamEvent>): Promise<void> {
    for await (const { type, id, data } of stream) {
      if ("run_id" in data) this.runId = data.run_id;
      if (id === null) continue;
      assert.ok(id > (this.ids.at(-1) ?? 0), "ids increase");
      this.ids.push(id);
      if (type === "message.delta") this.text += data.delta;
      if (type === "turn.restarted") {
        this.text = data.text;
        this.restarts += 1;
      }
      this.#texts.set(id, this.text);
    }
  }
}

async function queryOnce<Row extends pg.QueryResultRow>(url: string, text: string, values: unknown[]): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => {});
  await client.connect();
  try {
    return (await client.query<Row>(text, values)).rows;
  } finally {
    await client.end();
  }
}

/** The server restarts when one of its processes is killed, and forgets what is not on the disk. */
async function killBackend(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => {});
  await client.connect();
  const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
  process.kill(rows[0]?.pid ?? 0, "SIGKILL");
  await client.end().catch(() => {});
}
