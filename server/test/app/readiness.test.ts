import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { createTestDatabase, sharedCluster, type TestDatabase } from "../support/database.ts";
import { makeDataDir, type Program, readCredentials, runProgram } from "./program.ts";

const SLOW = { timeout: 180_000 };

interface CallInit {
  readonly method?: "POST";
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

interface Node {
  readonly database: TestDatabase;
  readonly program: Program;
  call(path: string, init?: CallInit): Promise<Response>;
  /** As the service role. */
  write(table: string, row: object): Promise<Response>;
}

/** A node on a database of its own, reached as a proxy reaches it. */
async function startNode(t: TestContext, env: Record<string, string> = {}): Promise<Node> {
  // Before the database: what is made first is cleaned up first, and no database is dropped under a node that runs.
  const dataDir = await makeDataDir(t);
  const database = await createTestDatabase(t);
  const program = runProgram(t, ["serve"], {
    env: {
      DATABASE_URL: database.adminUrl,
      MASTER_KEY: database.masterKey,
      DATA_DIR: dataDir,
      TLS_MODE: "proxy",
      TRUSTED_PROXIES: "127.0.0.1",
      ...env,
    },
  });
  await program.waitFor("service.started");
  const { url, service_role_key: key } = await readCredentials(dataDir);
  const call = (path: string, init: CallInit = {}): Promise<Response> =>
    fetch(`${url}${path}`, {
      ...init,
      headers: {
        "x-forwarded-proto": "https",
        apikey: key,
        authorization: `Bearer ${key}`,
        "content-type": "application/json",
        ...init.headers,
      },
    });
  const write = (table: string, row: object): Promise<Response> =>
    call(`/rest/v1/${table}`, { method: "POST", body: JSON.stringify(row) });
  return { database, program, call, write };
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

test(
  "a node on a server that became read-only is not ready, refuses writes with 503 and comes back",
  SLOW,
  async (t) => {
    const { database, program, call, write } = await startNode(t);
    const name = `"${database.owner.database}"`;
    await database.owner.query(
      `create table public.notes (id int primary key);
     grant all on public.notes to service_role;
     create function public.add_note() returns void language sql volatile as 'insert into public.notes values (7)';
     notify pgrst, 'reload schema'`,
    );
    assert.equal((await write("notes", { id: 1 })).status, 201);
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
    const refusals = [
      await write("notes", { id: 2 }),
      await call("/rest/v1/rpc/add_note", { method: "POST", body: "{}" }),
      await call("/auth/v1/signup", { method: "POST", body: JSON.stringify(account) }),
    ];
    for (const refused of refusals) {
      const body = (await refused.json()) as { code: string };
      assert.equal(refused.status, 503, JSON.stringify(body));
      assert.equal(body.code, "SERVICE_UNAVAILABLE");
      assert.match(refused.headers.get("retry-after") ?? "", /^[1-9]\d*$/);
    }
    assert.equal((await call("/health")).status, 200);

    await asAdmin(`alter database ${name} reset default_transaction_read_only`);
    while ((await call("/ready")).status !== 200) await sleep(50);
    assert.equal((await write("notes", { id: 2 })).status, 201);
    const events = program.lines().map(({ event }) => event);
    assert.equal(events.filter((event) => event === "database.read_only").length, 1, "once, however often it is asked");
    assert.equal(events.filter((event) => event === "database.reachable").length, 1);
  },
);

test("a node that is told to stop says so, serves on for STOP_DELAY_MS, and lets a run finish", SLOW, async (t) => {
  const { database, program, call, write } = await startNode(t, {
    STOP_DELAY_MS: "1500",
    STOP_TIMEOUT_MS: "100",
    AGENT_RUN_STOP_TIMEOUT_MS: "60000",
    SIMULATED_FIRST_TOKEN_MS: "4000",
  });
  const runId = await beginRun(call, write);
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

test("a second signal ends the delay of a stop", SLOW, async (t) => {
  const { program, call } = await startNode(t, { STOP_DELAY_MS: "30000" });
  program.child.kill("SIGTERM");
  await program.waitFor("service.stopping");
  assert.equal((await call("/health")).status, 200);
  // Signals that come together are taken for one.
  await sleep(1_500);
  assert.deepEqual(await program.stop("SIGTERM"), { code: 143, signal: null });
});

/** In the background, by an agent of its own. */
async function beginRun(call: Node["call"], write: Node["write"]): Promise<string> {
  const account = { email: "runner@example.com", password: "correct horse battery", email_confirm: true };
  const made = await call("/auth/v1/admin/users", { method: "POST", body: JSON.stringify(account) });
  const { id: userId } = (await made.json()) as { id: string };
  const insert = async (table: string, row: object): Promise<string> => {
    const answer = await call(`/rest/v1/${table}`, {
      method: "POST",
      body: JSON.stringify(row),
      headers: { prefer: "return=representation" },
    });
    assert.equal(answer.status, 201, await answer.clone().text());
    return ((await answer.json()) as { id: string }[])[0]?.id ?? "";
  };
  const agentId = await insert("agents", { user_id: userId, name: "Ada", framework: "provider_a" });
  const swarmId = await insert("swarms", { owner_id: userId, name: "Team" });
  const member = await write("swarm_agents", { swarm_id: swarmId, agent_id: agentId });
  assert.equal(member.status, 201, await member.text());
  const asked = await call("/functions/v1/agent-respond", {
    method: "POST",
    body: JSON.stringify({ swarm_id: swarmId, message: "Hello", background: true, user_id: userId }),
  });
  assert.equal(asked.status, 202, await asked.clone().text());
  return ((await asked.json()) as { run_id: string }).run_id;
}
