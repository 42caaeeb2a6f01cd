import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import pg from "pg";
import { newMasterKey } from "../../src/crypto/index.ts";
import { startEmbedded, withDatabase, withRole } from "../../src/db/index.ts";
import { type Cleanup, createTestDatabase, sharedCluster } from "../support/database.ts";
import { runHere } from "../support/run-here.ts";
import { startServiceHere } from "../support/service-here.ts";
import { findFreePort } from "../support/free-port.ts";
import { silentObserver } from "../support/silent-observer.ts";
import { closeAfter, get, makeDataDir, readCredentials, runProgram } from "./program.ts";
import { until } from "../support/until.ts";

test("with DATABASE_URL nothing is embedded, and two nodes share the keys", async (t) => {
  const cleanup: Cleanup = { after: (close) => closeAfter(t, close) };
  const { adminUrl, masterKey, owner } = await createTestDatabase(cleanup);
  const env = { DATABASE_URL: adminUrl, MASTER_KEY: masterKey };
  const start = async () => startServiceHere(cleanup, { dataDir: await makeDataDir(t), env });
  const nodes = await Promise.all([start(), start()]);
  const [first, second] = [nodes[0].credentials, nodes[1].credentials];
  assert.equal(first.anon_key, second.anon_key);
  assert.equal(first.service_role_key, second.service_role_key);
  assert.notEqual(first.url, second.url);
  for (const { url, ca_cert_file } of [first, second])
    assert.equal((await get(`${url}/ready`, ca_cert_file)).status, 200);
  assert.ok(!nodes.some((node) => node.output().includes('"event":"embedded.')));
  const { rows } = await owner.query("select count(*)::int as count from private.api_keys");
  assert.equal(rows[0].count, 2);

  const signedIn = new pg.Client({ connectionString: first.database_url });
  await signedIn.connect();
  assert.equal((await signedIn.query("select current_user::text as role")).rows[0].role, "swarmbase_owner");
  await signedIn.end();

  const wrong = await runHere(["serve"], { ...env, MASTER_KEY: newMasterKey(), DATA_DIR: await makeDataDir(t) });
  assert.equal(wrong.code, 1);
  assert.equal(wrong.stderr, "MASTER_KEY does not open the keys stored in this database\n");
  const still = new pg.Client({ connectionString: first.database_url });
  await still.connect();
  await still.end();
  for (const node of nodes) assert.equal(await node.stop(), 0);
});

test("/ready is 503 while the database is unavailable, and recovers", async (t) => {
  const serverDir = await makeDataDir(t);
  const superuserPassword = newMasterKey();
  const wantedPort = await findFreePort();
  const start = () => startEmbedded({ dataDir: serverDir, wantedPort, superuserPassword, observer: silentObserver });
  let server = await start();
  closeAfter(t, () => server.stop());
  const databaseUrl = withRole(`postgresql://127.0.0.1:${wantedPort}/postgres`, "postgres", superuserPassword);
  const dataDir = await makeDataDir(t);
  const program = runProgram(t, ["serve"], {
    env: { DATABASE_URL: databaseUrl, MASTER_KEY: newMasterKey(), DATA_DIR: dataDir },
  });
  await program.waitFor("service.started");
  const { url, ca_cert_file: caFile } = await readCredentials(dataDir);
  assert.equal((await get(`${url}/ready`, caFile)).status, 200);

  await server.stop();
  const away = await get(`${url}/ready`, caFile);
  assert.equal(away.status, 503);
  assert.match(away.headers.get("retry-after") ?? "", /^\d+$/);
  assert.equal((await get(`${url}/health`, caFile)).status, 200);
  await program.waitFor("database.unreachable");

  server = await start();
  await until(async () => (await get(`${url}/ready`, caFile)).status === 200, "the service is ready again");
  await program.waitFor("database.reachable");
  assert.deepEqual(await program.stop(), { code: 0, signal: null });
});

test("serve waits for an unreachable database, and a stop ends the wait", async (t) => {
  const port = await findFreePort();
  const program = runProgram(t, ["serve"], {
    env: {
      DATABASE_URL: `postgresql://u:hunter2@127.0.0.1:${port}/x`,
      MASTER_KEY: newMasterKey(),
      DATA_DIR: await makeDataDir(t),
    },
  });
  const waiting = await program.waitFor("database.waiting");
  assert.match(String(waiting["reason"]), /ECONNREFUSED/);
  assert.deepEqual(await program.stop(), { code: 0, signal: null });
  assert.ok(!program.stdout().includes("hunter2"));
});

test("serve does not wait for a database that rejects the login", async (t) => {
  const { adminUrl } = await createTestDatabase(t);
  const env = { MASTER_KEY: newMasterKey(), DATA_DIR: await makeDataDir(t) };
  const cases: [string, RegExp][] = [
    [withRole(adminUrl, "postgres", "hunter2"), /^The database of DATABASE_URL rejects the connection: password auth/],
    [
      withDatabase(adminUrl, "no_such_database"),
      /^The database of DATABASE_URL rejects the connection: database "no_such_/,
    ],
  ];
  for (const [DATABASE_URL, expected] of cases) {
    const { code, stderr } = await runHere(["serve"], { ...env, DATABASE_URL });
    assert.equal(code, 1);
    assert.match(stderr, expected);
    assert.ok(!stderr.includes("hunter2"));
  }
});

test("the start logs warnings about the database server", async (t) => {
  const dataDir = await makeDataDir(t);
  const { adminUrl, masterKey } = await createTestDatabase(t);
  const program = runProgram(t, ["serve"], {
    env: { DATABASE_URL: adminUrl, MASTER_KEY: masterKey, DATA_DIR: dataDir, DB_POOL_SIZE: "500" },
    preload:
      "const D = Date; globalThis.Date = class extends D { constructor(...a) { a.length ? super(...a) : super(D.now() + 60000); } };",
  });
  await program.waitFor("service.started");
  const found = program.lines().filter(({ event }) => event === "database.requirement_warning");
  const text = found.map(({ missing }) => String(missing)).join("\n");
  assert.match(text, /opens up to 1507 connections, and the server permits \d+ in all\. Lower DB_POOL_SIZE/);
  assert.match(text, /this machine's clock is (5\d|60) seconds ahead of that of the database/);
  await program.stop();
});

test("serve does not start on a read-only server", async (t) => {
  const dataDir = await makeDataDir(t);
  const { adminUrl, masterKey, owner } = await createTestDatabase(t);
  const admin = new pg.Client({ connectionString: sharedCluster().adminUrl });
  await admin.connect();
  await admin.query(`alter database "${owner.database}" set default_transaction_read_only = on`);
  await admin.end();
  const env = { DATABASE_URL: adminUrl, MASTER_KEY: masterKey, DATA_DIR: dataDir };
  const { code, stderr } = await runHere(["serve"], env);
  assert.equal(code, 1);
  assert.match(stderr, /The server is read-only: default_transaction_read_only is on/);
});

test("unmet requirements of a database are listed together, with the SQL that corrects them", async (t) => {
  const { adminUrl } = await createTestDatabase(t);
  const admin = new pg.Client({ connectionString: adminUrl });
  await admin.connect();
  const role = `test_poor_${randomBytes(4).toString("hex")}`;
  await admin.query(`create role ${role} login password 'poor'`);
  try {
    const { code, stderr } = await runHere(["serve"], {
      DATABASE_URL: withRole(adminUrl, role, "poor"),
      MASTER_KEY: newMasterKey(),
      DATA_DIR: await makeDataDir(t),
    });
    assert.equal(code, 1);
    for (const expected of [
      /grant swarmbase_owner to/,
      /grant create on database/,
      /on schema public .* grant option/,
    ]) {
      assert.match(stderr, expected);
    }
    assert.doesNotMatch(stderr, /^\s+at /m);
  } finally {
    await admin.query(`drop role ${role}`);
    await admin.end();
  }
});
