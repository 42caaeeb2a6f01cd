import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { createTestDatabase, sharedCluster, type TestDatabase } from "../support/database.ts";
import { addSwarm, type NodeClient, openNodeClient, PROXIED } from "./node-client.ts";
import { makeDataDir, type Program, runProgram } from "./program.ts";
import { until } from "../support/until.ts";

interface Node extends NodeClient {
  readonly database: TestDatabase;
  readonly program: Program;
}

/** A node on a database of its own. */
async function startNode(t: TestContext, env: Record<string, string> = {}): Promise<Node> {
  // Before the database: what is made first is cleaned up first, and no database is dropped under a node that runs.
  const dataDir = await makeDataDir(t);
  const database = await createTestDatabase(t);
  const { adminUrl: DATABASE_URL, masterKey: MASTER_KEY } = database;
  const program = runProgram(t, ["serve"], {
    env: { DATABASE_URL, MASTER_KEY, DATA_DIR: dataDir, ...PROXIED, ...env },
  });
  await program.waitFor("service.started");
  return { ...(await openNodeClient(dataDir)), database, program };
}

/** From another database, so that what is set for this one does not concern it. */
async function asAdmin(...statements: readonly string[]): Promise<void> {
  const admin = new pg.Client({ connectionString: sharedCluster().adminUrl });
  await admin.connect();
  try {
    for (const statement of statements) await admin.query(statement);
  } finally {
    await admin.end();
  }
}

test("a node on a server that became read-only is not ready, rejects writes with 503 and comes back", async (t) => {
  const { database, program, call, post } = await startNode(t);
  const name = `"${database.owner.database}"`;
  await database.owner.query(
    `create table public.notes (id int primary key);
     grant all on public.notes to service_role;
     create function public.add_note() returns void language sql volatile as 'insert into public.notes values (7)';
     notify pgrst, 'reload schema'`,
  );
  assert.equal((await post("/rest/v1/notes", { id: 1 })).status, 201);
  const writingRead = await call("/rest/v1/rpc/add_note");
  assert.equal(writingRead.status, 405, "a GET that writes is the caller's mistake");

  await asAdmin(
    `alter database ${name} set default_transaction_read_only = on`,
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = '${database.owner.database}' and usename like 'sb_%'`,
  );
  await program.waitFor("database.read_only");
  for (let round = 0; round < 3; round += 1) {
    const ready = await call("/ready");
    assert.equal(ready.status, 503);
    assert.equal(((await ready.json()) as { message: string }).message, "The database takes no writes");
  }
  assert.equal((await call("/rest/v1/notes?select=id")).status, 200, "reads are still served");
  assert.equal((await call("/rest/v1/rpc/add_note")).status, 405);
  const account = { email: "reader@example.com", password: "correct horse battery" };
  const rejections = [
    await post("/rest/v1/notes", { id: 2 }),
    await post("/rest/v1/rpc/add_note", {}),
    await post("/auth/v1/signup", account),
  ];
  for (const rejected of rejections) {
    const body = (await rejected.json()) as { code: string };
    assert.equal(rejected.status, 503, JSON.stringify(body));
    assert.equal(body.code, "SERVICE_UNAVAILABLE");
    assert.match(rejected.headers.get("retry-after") ?? "", /^[1-9]\d*$/);
  }
  assert.equal((await call("/health")).status, 200);

  await asAdmin(`alter database ${name} reset default_transaction_read_only`);
  await until(async () => (await call("/ready")).status === 200, "the node is ready again");
  // A connection that a job held meanwhile is replaced by the first write that it rejects.
  let status = 503;
  await until(async () => ({ status } = await post("/rest/v1/notes", { id: 2 })).status !== 503, "a write is accepted");
  assert.equal(status, 201);
  const events = program.lines().map(({ event }) => event);
  assert.equal(events.filter((event) => event === "database.read_only").length, 1, "once, however often it is asked");
  assert.equal(events.filter((event) => event === "database.reachable").length, 1);
});

test("a stopping node reports it, serves for STOP_DELAY_MS, and lets a run finish", async (t) => {
  const node = await startNode(t, {
    STOP_DELAY_MS: "3000",
    STOP_TIMEOUT_MS: "100",
    AGENT_RUN_STOP_TIMEOUT_MS: "60000",
    SIMULATED_FIRST_TOKEN_DELAY_MS: "5000",
  });
  const { database, program, call } = node;
  const runId = await beginRun(node);
  const exited = program.stop();
  await program.waitFor("service.stopping");
  const ready = await call("/ready");
  assert.equal(ready.status, 503);
  assert.equal(((await ready.json()) as { message: string }).message, "The service is stopping");
  assert.equal((await call("/rest/v1/agents?select=id")).status, 200, "requests are still served");
  assert.deepEqual(await exited, { code: 0, signal: null });
  const { rows } = await database.owner.query("select status, stop_reason from public.runs where id = $1", [runId]);
  assert.deepEqual(rows, [{ status: "completed", stop_reason: "all_replied" }]);
});

test("a second signal ends the delay of a stop", async (t) => {
  const { program, call } = await startNode(t, { STOP_DELAY_MS: "30000" });
  program.child.kill("SIGTERM");
  await program.waitFor("service.stopping");
  assert.equal((await call("/health")).status, 200);
  // Signals that come together are taken for one.
  await sleep(1_500);
  assert.deepEqual(await program.stop("SIGTERM"), { code: 143, signal: null });
});

/** In the background, by an agent of its own. */
async function beginRun(node: NodeClient): Promise<string> {
  const userId = await node.addUser("runner@example.com");
  const body = { swarm_id: await addSwarm(node, userId), message: "Hello", background: true, user_id: userId };
  const asked = await node.post("/functions/v1/agent-respond", body);
  assert.equal(asked.status, 202, await asked.clone().text());
  return ((await asked.json()) as { run_id: string }).run_id;
}
