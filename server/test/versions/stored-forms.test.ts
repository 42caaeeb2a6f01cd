import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { verifyWebhook } from "@swarmbase/sdk";
import type pg from "pg";
import { connectClient } from "../../src/db/index.ts";
import { type NodeClient, openNodeClient, PROXIED } from "../app/node-client.ts";
import { makeDataDir, type Program, readCredentials, runProgram } from "../app/program.ts";
import { RawClient } from "../realtime/support/raw-client.ts";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import { until } from "../support/until.ts";
import { RECEIVER_CA, type Receiver, startReceiver } from "../webhooks/support/receiver.ts";

const FORMS = new URL("forms-1.sql", import.meta.url);
const [OWNER, MEMBER] = ["01a1ebd7-0000-7000-8000-000000000001", "01a1ebd7-0000-7000-8000-000000000002"];
const [ENDED_RUN, LOST_RUN] = ["01a1ebd7-0000-7000-8000-0000000000d1", "01a1ebd7-0000-7000-8000-0000000000d2"];
const WEBHOOK = "01a1ebd7-0000-7000-8000-0000000000f0";
const PASSWORD = "correct horse battery";
const ROOM = "realtime:room";

interface Frame {
  readonly seq: number;
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

interface Stage {
  readonly sql: pg.Client;
  readonly receiver: Receiver;
  /** Of the webhook. */
  readonly secret: string;
  /** A node of this release, which starts on what is stored. */
  startNode(): Promise<{ readonly node: NodeClient; readonly program: Program; readonly anonKey: string }>;
  /** All events of a run that has ended, as its stream shows them to the user. */
  readStream(node: NodeClient, userId: string, runId: string): Promise<Frame[]>;
  /** Writes into the WAL, as nodes do. */
  emit(prefix: string, content: string | Buffer): Promise<void>;
}

async function openStage(t: TestContext): Promise<Stage> {
  const programs: Program[] = [];
  // Before the database is dropped.
  t.after(() => Promise.all(programs.map((program) => program.stop())));
  const database = await createTestDatabase(t);
  const sql = await connectClient(database.adminUrl);
  t.after(() => sql.end());
  const receiver = await startReceiver(t);
  await sql.query(await readFile(FORMS, "utf8"));
  const { rows } = await sql.query<{ secret: string }>(
    `insert into public.webhooks (id, user_id, name, url, events)
     values ($1, $2, 'hook', $3, '{agent.created,message.created,run.updated,swarm.created}') returning secret`,
    [WEBHOOK, OWNER, receiver.url],
  );
  return {
    sql,
    receiver,
    secret: rows[0]?.secret ?? "",
    startNode: async () => {
      const started = await startNode(t, database);
      programs.push(started.program);
      return started;
    },
    readStream: async (node, userId, runId) => {
      const email = await setPassword(node, userId);
      const signedIn = await node.post("/auth/v1/token?grant_type=password", { email, password: PASSWORD });
      const { access_token: token } = (await signedIn.json()) as { access_token: string };
      const answer = await node.call("/functions/v1/agent-respond", {
        method: "POST",
        body: JSON.stringify({ action: "attach", run_id: runId }),
        headers: { authorization: `Bearer ${token}`, accept: "text/event-stream" },
      });
      assert.equal(answer.status, 200, await answer.clone().text());
      return parseFrames(await answer.text());
    },
    emit: async (prefix, content) => {
      await sql.query("select pg_logical_emit_message(true, $1, $2::bytea)", [prefix, Buffer.from(content)]);
    },
  };
}

async function startNode(t: TestContext, { adminUrl, masterKey }: TestDatabase): ReturnType<Stage["startNode"]> {
  const dataDir = await makeDataDir(t);
  const caFile = join(dataDir, "..", "receiver-ca.pem");
  await writeFile(caFile, RECEIVER_CA);
  const program = runProgram(t, ["serve"], {
    env: {
      ...PROXIED,
      NODE_ENV: "test",
      DATABASE_URL: adminUrl,
      MASTER_KEY: masterKey,
      DATA_DIR: dataDir,
      PROVIDER_A_KIND: "simulated",
      WEBHOOK_CA_FILE: caFile,
      WEBHOOK_ALLOWED_CIDRS: "127.0.0.0/8",
    },
  });
  await program.waitFor("service.started");
  const { anon_key: anonKey } = await readCredentials(dataDir);
  return { program, anonKey, node: await openNodeClient(dataDir) };
}

async function setPassword(node: NodeClient, userId: string): Promise<string> {
  const answer = await node.call(`/auth/v1/admin/users/${userId}`, {
    method: "PUT",
    body: JSON.stringify({ password: PASSWORD }),
  });
  assert.equal(answer.status, 200, await answer.clone().text());
  return ((await answer.json()) as { email: string }).email;
}

function parseFrames(text: string): Frame[] {
  return text
    .split("\n\n")
    .filter((frame) => frame.startsWith("id: "))
    .map((frame) => {
      const [, id = "", type = "", data = ""] = /^id: (.+)\nevent: (.+)\ndata: (.+)$/.exec(frame) ?? [];
      return { seq: Number(id), type, data: JSON.parse(data) as Frame["data"] };
    });
}

async function expectEnd(sql: pg.Client, runId: string): Promise<void> {
  const read = async (): Promise<unknown> => {
    const { rows } = await sql.query(
      `select status, stop_reason, (select count(*)::int from public.tool_executions x where x.run_id = r.id) as calls,
         (select string_agg(content, '') from public.messages m where m.run_id = r.id) as text
       from public.runs r where id = $1 and finished_at is not null`,
      [runId],
    );
    return rows[0];
  };
  await until(async () => (await read()) !== undefined, "the run has ended");
  const { text, ...end } = (await read()) as { text: string };
  // The tool is not called again.
  assert.deepEqual(end, { status: "completed", stop_reason: "all_replied", calls: 0 });
  assert.match(text, /^Wait\.\n\n\[simulated\]/);
}

test("events, deliveries and runs that version 1 has stored are delivered, streamed and continued", async (t) => {
  const { sql, receiver, secret, startNode: start, readStream } = await openStage(t);
  const { rows: stored } = await sql.query<{ id: string; type: string; data: string }>(
    "select 'evt_' || id as id, type, data from private.events order by seq",
  );
  const { node, program } = await start();

  const ids = [...stored.map(({ id }) => id), "evt_01a1ebd7-0000-7000-8000-0000000000e0"];
  const hasArrived = (id: string): boolean => receiver.received.some(({ body }) => body.includes(id));
  await until(
    () => ids.every(hasArrived),
    "all deliveries have arrived",
    () => program.stdout(),
  );
  const bodies = receiver.received.map(({ body, headers }) =>
    verifyWebhook(body, headers as Record<string, string>, secret),
  );
  const received = new Map((await Promise.all(bodies)).map(({ id, ...body }) => [id, body]));
  for (const { id, type, data } of stored) {
    const { created_at: _, ...body } = received.get(id) ?? {};
    assert.deepEqual(body, { type, api_version: "2026-11-15", data });
  }
  const retried = { swarm_id: "01a1ebd7-0000-7000-8000-0000000000b1", name: "ended" };
  assert.deepEqual(received.get("evt_01a1ebd7-0000-7000-8000-0000000000e0")?.data, retried);

  const shown = await readStream(node, OWNER, ENDED_RUN);
  assert.deepEqual(
    shown.map(({ seq, type }) => `${seq} ${type}`),
    [
      "1 run.started",
      "2 turn.started",
      "3 agent.status_changed",
      "5 message.delta",
      "6 message.delta",
      "7 tool.started",
      "8 tool.executed",
      "9 turn.completed",
      "10 run.completed",
      "11 done",
    ],
  );
  assert.deepEqual(
    shown.slice(3, 5).map(({ data }) => data["delta"]),
    ["Wai", "t."],
  );
  assert.deepEqual(shown[6]?.data["output_preview"], "a structure");

  await expectEnd(sql, LOST_RUN);
});

test("what a newer release has stored is passed on or left to its nodes, and never lost", async (t) => {
  const { sql, receiver, startNode: start, readStream } = await openStage(t);
  // Its schema knows the type, its events have further members, and its progress another form.
  await sql.query(`
    alter table public.webhooks drop constraint webhooks_events_known;
    update public.webhooks set events = '{agent.renamed}';
    insert into private.events (type, data, audience) values ('agent.renamed', '{"from": "Ada"}', '{${OWNER}}');
    insert into public.run_events (run_id, swarm_id, seq, agent_id, restricted, type, data)
    select run_id, swarm_id, 9 + 100, agent_id, true, 'tool.thought', data || '{"thought": "secret"}'
    from public.run_events where run_id = '${ENDED_RUN}' and type = 'tool.started';
    update private.run_progress set progress = progress || '{"version": 2, "suspended": "elsewhere"}'`);
  const { node, program } = await start();

  await until(() => receiver.received.some(({ body }) => body.includes('"type":"agent.renamed"')), "it is delivered");

  const thoughtOf = (frames: readonly Frame[]): Frame["data"] | undefined =>
    frames.find(({ type }) => type === "tool.thought")?.data;
  assert.equal(thoughtOf(await readStream(node, OWNER, ENDED_RUN))?.["thought"], "secret");
  // A member may not see what is restricted, and this release does not know which members that are.
  assert.deepEqual(thoughtOf(await readStream(node, MEMBER, ENDED_RUN)), { run_id: ENDED_RUN, seq: 109 });

  await program.waitFor("agents.run_left");
  const { rows } = await sql.query(
    `select r.status, l.owner, l.takeovers, p.progress -> 'version' as version
     from public.runs r join private.run_leases l on l.run_id = r.id join private.run_progress p on p.run_id = r.id
     where r.id = $1`,
    [LOST_RUN],
  );
  assert.deepEqual(rows, [{ status: "running", owner: null, takeovers: 1, version: 2 }]);
});

test("messages of nodes are read in their first form, and those of a newer one end no channel", async (t) => {
  const { startNode: start, emit } = await openStage(t);
  const { node, anonKey: apikey } = await start();
  const client = await RawClient.open(t, node.url, { vsn: "1.0.0", apikey, headers: { "x-forwarded-proto": "https" } });
  assert.equal((await client.join(ROOM, { presence: { enabled: true } }))["status"], "ok");
  const [entry, other] = ["ann", "ben"].map((key, at) => ({
    topicKey: "public:room",
    key,
    ref: `far.${at}`,
    members: '"is":"here"',
  }));
  const head = Buffer.from('["far","public:room","note",false,null]');
  const broadcast = Buffer.concat([Buffer.from([0, 0, 0, head.length]), head, Buffer.from('{"text":"hello"}')]);

  const unknown = [{ kind: "patch", seq: 2, entries: {} }, { kind: "state", seq: 3, entries: { ann: {} } }, {}, null];
  for (const message of unknown)
    await emit("swarmbase.presence", JSON.stringify(message && { node: "far", ...message }));
  await emit("swarmbase.broadcast", Buffer.from([0, 0, 0, 2, 0x5b, 0x5d]));
  await emit("swarmbase.signal", '{"topic":"webhook:1","changes":[]}');
  await emit("realtime.send", '{"topic":7}');

  await emit("swarmbase.presence", JSON.stringify({ kind: "state", node: "far", seq: 4, entries: [entry] }));
  await emit("swarmbase.presence", JSON.stringify({ kind: "diff", node: "far", seq: 5, joins: [other], leaves: [] }));
  await emit("swarmbase.broadcast", broadcast);
  const sent = { id: "01a1ebd7-0000-7000-8000-0000000000f9", topic: "room", event: "stored", private: false };
  await emit("realtime.send", JSON.stringify({ ...sent, payload: { text: "again" }, binary: null, sender: null }));

  const read = (name: string): Frame["data"][] =>
    client.frames.flatMap(([, , topic, event, payload]) => (topic === ROOM && event === name ? [payload] : []));
  const joined = (): string[] => read("presence_diff").flatMap(({ joins }) => Object.keys(joins as object));
  // Joins that arrive within 10 ms share a diff, so there is one diff or two.
  await client.until(() => read("broadcast").length >= 2 && joined().length >= 2);
  assert.deepEqual(
    read("broadcast").map(({ payload }) => payload),
    [{ text: "hello" }, { text: "again" }],
  );
  assert.deepEqual(joined(), ["ann", "ben"]);
  assert.deepEqual(read("phx_error"), [], "the channel was not ended");
});
