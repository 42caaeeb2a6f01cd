import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { test } from "node:test";
import { connectClient, openDatabase } from "../../src/db/index.ts";
import type { ObservationName, Observer } from "../../src/observe/index.ts";
import { createTestDatabase } from "../support/database.ts";
import { findFreePort } from "../support/free-port.ts";

function recordNotes() {
  const names: ObservationName[] = [];
  const observer: Observer = { note: (name) => void names.push(name), child: () => observer };
  return { observer, names };
}

test("the two pools log in as two roles, with their own application names", async (t) => {
  const { adminUrl, masterKey } = await createTestDatabase(t);
  const database = openDatabase({ url: adminUrl, masterKey, poolSize: 2, ...recordNotes() });
  t.after(() => database.close());
  const ask = "select session_user::text as role, current_setting('application_name') as name";
  assert.deepEqual((await database.user.query(ask)).rows, [{ role: "sb_user", name: "swarmbase-user" }]);
  assert.deepEqual((await database.service.query(ask)).rows, [{ role: "sb_service", name: "swarmbase-service" }]);
});

test("concurrent checks share one connection and one statement", async (t) => {
  const { adminUrl, masterKey, owner } = await createTestDatabase(t);
  const database = openDatabase({ url: adminUrl, masterKey, poolSize: 2, ...recordNotes() });
  t.after(() => database.close());
  const checks = Array.from({ length: 50 }, () => database.findFault());
  assert.equal(new Set(checks).size, 1);
  assert.deepEqual(new Set(await Promise.all(checks)), new Set([null]));
  const { rows } = await owner.query(
    "select count(*)::int as count from pg_stat_activity where application_name = 'swarmbase-probe' and datname = current_database()",
  );
  assert.equal(rows[0].count, 1);
});

test("requests that would wait too long for a connection are a fault of their own, logged once", async (t) => {
  const { adminUrl, masterKey } = await createTestDatabase(t);
  const { observer, names } = recordNotes();
  const database = openDatabase({ url: adminUrl, masterKey, poolSize: 1, probeTimeoutMs: 2_000, observer });
  t.after(() => database.close());
  assert.equal(await database.findFault(), null);
  const held = await database.user.connect();
  for (let round = 0; round < 2; round += 1) assert.equal(await database.findFault(), "exhausted");
  held.release();
  assert.equal(await database.findFault(), null);
  assert.deepEqual(names, ["database.exhausted", "database.reachable"]);
});

test("a server without free connections is reported as exhausted, not as unreachable", async (t) => {
  const { adminUrl, masterKey, owner } = await createTestDatabase(t);
  const database = openDatabase({ url: adminUrl, masterKey, poolSize: 1, ...recordNotes() });
  t.after(() => database.close());
  const admin = await connectClient(adminUrl);
  const name = admin.escapeIdentifier(String(owner.database));
  await admin.query(`alter database ${name} connection limit 0`);
  assert.equal(await database.findFault(), "exhausted");
  await admin.query(`alter database ${name} connection limit -1`);
  await admin.end();
  assert.equal(await database.findFault(), null);
});

test("a read-only server is a fault, and its connections are closed", async (t) => {
  const { adminUrl, masterKey, owner } = await createTestDatabase(t);
  const { observer, names } = recordNotes();
  const admin = await connectClient(adminUrl);
  const name = admin.escapeIdentifier(String(owner.database));
  await admin.query(`alter database ${name} set default_transaction_read_only = on`);
  const database = openDatabase({ url: adminUrl, masterKey, poolSize: 2, observer });
  t.after(() => database.close());
  await database.user.query("select 1");
  for (let round = 0; round < 2; round += 1) assert.equal(await database.findFault(), "read_only");
  // Counts for new connections alone, like a name that leads to another server after a failover.
  await admin.query(`alter database ${name} reset default_transaction_read_only`);
  await admin.end();
  assert.equal(await database.findFault(), null);
  const { rows } = await database.user.query("select current_setting('transaction_read_only') as setting");
  assert.deepEqual(rows, [{ setting: "off" }]);
  assert.deepEqual(names, ["database.read_only", "database.reachable"]);
});

test("a process that was suspended reports no fault of the database", async (t) => {
  const { adminUrl, masterKey } = await createTestDatabase(t);
  const { observer, names } = recordNotes();
  const database = openDatabase({ url: adminUrl, masterKey, poolSize: 1, probeTimeoutMs: 1_000, observer });
  t.after(() => database.close());
  const checked = database.findFault();
  for (const untilMs = performance.now() + 1_100; performance.now() < untilMs; );
  assert.equal(await checked, null);
  assert.deepEqual(names, []);
});

test("connections that the server ends, idle or in use, are replaced and nothing crashes", async (t) => {
  const { adminUrl, masterKey } = await createTestDatabase(t);
  const { observer, names } = recordNotes();
  const database = openDatabase({ url: adminUrl, masterKey, poolSize: 3, observer });
  t.after(() => database.close());
  const inUse = await database.user.connect();
  await database.service.query("select 1");
  const lost = once(database.service, "error");
  const running = assert.rejects(inUse.query("select pg_sleep(60)"), /terminat/i);
  const admin = await connectClient(adminUrl);
  await admin.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and usename like 'sb_%'",
  );
  await admin.end();
  await Promise.all([running, lost]);
  inUse.release(true);
  assert.ok(names.includes("database.connection_lost"));
  assert.equal((await database.user.query("select 1 as one")).rows[0].one, 1);
  assert.equal((await database.service.query("select 1 as one")).rows[0].one, 1);
});

test("connections that the server ends while they are being closed are not reported as lost", async (t) => {
  const { adminUrl, masterKey } = await createTestDatabase(t);
  const { observer, names } = recordNotes();
  const database = openDatabase({ url: adminUrl, masterKey, poolSize: 1, observer });
  await database.service.query("select 1");
  const closed = database.close();
  database.service.emit("error", new Error("terminating connection due to administrator command"));
  await closed;
  assert.deepEqual(names, []);
});

test("an unreachable database is logged once, and the pools fail fast", async (t) => {
  const port = await findFreePort();
  const { observer, names } = recordNotes();
  const database = openDatabase({ url: `postgresql://127.0.0.1:${port}/x`, masterKey: "key", poolSize: 1, observer });
  t.after(() => database.close());
  for (let round = 0; round < 2; round += 1) assert.equal(await database.findFault(), "unreachable");
  assert.deepEqual(names, ["database.unreachable"]);
  await assert.rejects(database.user.query("select 1"), { code: "ECONNREFUSED" });
});

test("a server that accepts a connection and never responds times out", async (t) => {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  const database = openDatabase({
    url: `postgresql://127.0.0.1:${port}/x`,
    masterKey: "key",
    poolSize: 1,
    probeTimeoutMs: 100,
    ...recordNotes(),
  });
  t.after(() => database.close());
  assert.equal(await database.findFault(), "unreachable");
});

test("close lets a running statement finish, and may be called twice", async (t) => {
  const { adminUrl, masterKey } = await createTestDatabase(t);
  const database = openDatabase({ url: adminUrl, masterKey, poolSize: 1, ...recordNotes() });
  const running = database.user.query("select pg_sleep(0.3), 7 as seven");
  await once(database.user, "acquire");
  const closed = Promise.all([database.close(), database.close()]);
  assert.equal((await running).rows[0].seven, 7);
  await closed;
});

test("close ends statements that do not finish in time", async (t) => {
  const { adminUrl, masterKey } = await createTestDatabase(t);
  const database = openDatabase({ url: adminUrl, masterKey, poolSize: 1, closeTimeoutMs: 100, ...recordNotes() });
  const client = await database.user.connect();
  // Not by its own time, which would be over later: it was cut off.
  const running = assert.rejects(client.query("select pg_sleep(60)"), /^Error: Connection terminated/);
  await database.close();
  await running;
});
