import assert from "node:assert/strict";
import {
  chmodSync,
  lstatSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, type TestContext, test } from "node:test";
import { Client } from "pg";
import type { Observer } from "../../src/observe/index.ts";
import { startFailing } from "../support/forgetful-postgres.ts";
import { findFreePort } from "../support/free-port.ts";
import {
  clusterOf,
  makeFolder,
  PASSWORD,
  postmasterPid,
  query,
  spawnService,
  startService,
  waitUntilNothingRuns,
} from "./running-service.ts";

describe("one data directory", () => {
  let dataDir = "";
  let clusterDir = "";
  let folder = "";
  before(() => {
    folder = mkdtempSync(join(realpathSync(tmpdir()), "sb-embedded-"));
    chmodSync(folder, 0o711);
    // A blank, a comma and a quote: the path travels through several syntaxes on its way into PostgreSQL.
    dataDir = join(folder, `a b,'c`);
    clusterDir = clusterOf(dataDir);
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  test("the first start makes it, says so, and serves as configured", async (t) => {
    const service = await startService(t, dataDir);
    assert.match(String((await service.waitFor("test.progress"))["line"]), /initialising the database/);

    const rows = await query<{ name: string; setting: string }>(
      service.adminUrl,
      "select name, setting from pg_settings",
    );
    const settings = new Map(rows.map(({ name, setting }) => [name, setting]));
    const expected = {
      fsync: "on",
      full_page_writes: "on",
      synchronous_commit: "on",
      wal_level: "logical",
      max_wal_senders: "64",
      max_replication_slots: "64",
      max_slot_wal_keep_size: "1024",
      data_checksums: "on",
      server_encoding: "UTF8",
      TimeZone: "UTC",
      log_timezone: "UTC",
      listen_addresses: "127.0.0.1",
      password_encryption: "scram-sha-256",
    };
    for (const [name, value] of Object.entries(expected)) assert.equal(settings.get(name), value, name);
    assert.deepEqual(
      await query(service.adminUrl, "select datlocprovider, datlocale from pg_database where datname = 'postgres'"),
      [{ datlocprovider: "b", datlocale: "C.UTF-8" }],
    );
    assert.deepEqual(await query(service.adminUrl, "select distinct auth_method from pg_hba_file_rules"), [
      { auth_method: "scram-sha-256" },
    ]);

    const socket = lstatSync(service.socketDir);
    assert.equal(socket.mode & 0o777, 0o700);
    assert.equal(socket.uid, lstatSync(clusterDir).uid);
    const status = readFileSync(`/proc/${postmasterPid(clusterDir)}/status`, "utf8");
    assert.doesNotMatch(status, /^Uid:\s+0\b/m);
    const groupOf = (pid: number): string =>
      readFileSync(`/proc/${pid}/stat`, "utf8")
        .replace(/^.*\) /, "")
        .split(" ")[2] ?? "";
    const [ownGroup, groupOfPostgres] = [service.child.pid ?? 0, postmasterPid(clusterDir)].map(groupOf);
    assert.notEqual(groupOfPostgres, ownGroup, "Ctrl-C in the terminal does not reach PostgreSQL");

    await t.test("through the socket, loopback and replication, and only with the password", async () => {
      const overTcp = `postgres://postgres:${PASSWORD}@127.0.0.1:${service.tcpPort}/postgres`;
      assert.equal((await query(overTcp, "select 1")).length, 1);
      for (const url of [service.adminUrl, overTcp]) {
        await assert.rejects(query(url.replace(PASSWORD, "wrong"), "select 1"), { code: "28P01" });
      }
      const replication = new Client({ connectionString: overTcp, replication: "database" } as object);
      await replication.connect();
      assert.equal((await replication.query("IDENTIFY_SYSTEM")).rows.length, 1);
      await replication.end();
    });

    await t.test("a second start says who runs already, and harms nothing", async (inner) => {
      const pid = postmasterPid(clusterDir);
      await assert.rejects(
        startService(inner, dataDir),
        new RegExp(`already running on the data directory .* \\(process ${service.child.pid}\\)`),
      );
      assert.equal(postmasterPid(clusterDir), pid);
      assert.equal((await query(service.adminUrl, "select 1")).length, 1);
    });

    await t.test("the end is orderly", async () => {
      await query(service.adminUrl, "create table kept as select 1 as one");
      await service.stop();
      await waitUntilNothingRuns(clusterDir);
      assert.ok(service.lines.some((line) => line.event === "embedded.stopped"));
      assert.match(readFileSync(join(dataDir, "postgres.log"), "utf8"), /database system is shut down\n$/);
    });
  });

  test("a configured port that is in use is replaced by a free one; a free one is used", async (t) => {
    const port = await findFreePort();
    const blocker = createServer().listen(port, "127.0.0.1");
    t.after(() => blocker.close());
    await new Promise((resolve) => blocker.once("listening", resolve));

    const first = await startService(t, dataDir, { port });
    assert.notEqual(first.tcpPort, port);
    assert.equal((await first.waitFor("embedded.port_taken"))["wantedPort"], port);
    await first.stop();
    await new Promise((resolve) => blocker.close(resolve));
    const second = await startService(t, dataDir, { port });
    assert.equal(second.tcpPort, port);
    assert.equal((await query(second.adminUrl, "select * from kept")).length, 1);
    await second.stop();
  });

  test("another master key is detected, and no process remains", async (t) => {
    await assert.rejects(startService(t, dataDir, { password: "of-another-master-key" }), /another master key/);
    await waitUntilNothingRuns(clusterDir);
  });

  test("a stale postmaster.pid with the id of an unrelated process does not prevent the start", async (t) => {
    // As after a reboot, when the old id belongs to an unrelated process: here, this test.
    const text = `${process.pid}\n${clusterDir}\n1\n5432\n\n127.0.0.1\n  1 1\nready\n`;
    writeFileSync(join(clusterDir, "postmaster.pid"), text);
    const service = await startService(t, dataDir);
    assert.equal((await query(service.adminUrl, "select * from kept")).length, 1);
    await service.stop();
  });

  test("a failed start quotes the log of PostgreSQL", async (t) => {
    const auto = join(clusterDir, "postgresql.auto.conf");
    const before = readFileSync(auto);
    writeFileSync(auto, "shared_buffers = 'plenty'\n");
    await assert.rejects(startService(t, dataDir), /did not start.*postgres\.log[^]*shared_buffers/);
    await waitUntilNothingRuns(clusterDir);
    writeFileSync(auto, before);
  });

  test("a cluster of another major version is rejected and not changed", async (t) => {
    const versionFile = join(clusterDir, "PG_VERSION");
    for (const [version, words] of [
      ["16", /PostgreSQL 16,.*runs PostgreSQL 18.*swarmbase upgrade --old-binaries/],
      ["19", /PostgreSQL 19,.*newer release/],
    ] as const) {
      writeFileSync(versionFile, `${version}\n`);
      const log = readFileSync(join(dataDir, "postgres.log"), "utf8");
      await assert.rejects(startService(t, dataDir), words);
      assert.equal(readFileSync(join(dataDir, "postgres.log"), "utf8"), log, "PostgreSQL was not started");
    }
    writeFileSync(versionFile, "18\n");
  });

  test("a missing database is reported, not created again", async (t) => {
    renameSync(clusterDir, `${clusterDir}-away`);
    await assert.rejects(startService(t, dataDir), /is missing: .* is empty/);
    renameSync(`${clusterDir}-away`, clusterDir);
    const service = spawnService(t, dataDir);
    await service.waitFor("test.ready");
    await service.stop();
  });
});

describe("a recovery that a kill has interrupted", {
  skip: process.platform === "win32" ? "needs a shell" : false,
}, () => {
  const LINE = 'FATAL: could not create file "base/16384/16385": File exists';
  const start = async (t: TestContext, lines: readonly string[]): Promise<string[]> => {
    const notes: string[] = [];
    const observer: Observer = { note: (name) => void notes.push(name), child: () => observer };
    const dataDir = makeFolder(t);
    const server = await startFailing({ dataDir, wantedPort: 0, superuserPassword: PASSWORD, observer }, lines);
    await server.stop();
    return notes;
  };

  test("is repeated once by itself", async (t) => {
    const notes = await start(t, [LINE]);
    assert.deepEqual(
      notes.filter((name) => name === "embedded.recovery_repeated" || name === "embedded.started"),
      ["embedded.recovery_repeated", "embedded.started"],
    );
  });

  test("fails the start at the second time", async (t) => {
    await assert.rejects(start(t, [LINE, LINE]), /File exists/);
  });
});
