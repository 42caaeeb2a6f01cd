import assert from "node:assert/strict";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import {
  cannotBeNobody,
  clusterOf,
  makeFolder,
  NOBODY,
  postmasterPid,
  query,
  spawnService,
  startService,
  waitUntilNothingRuns,
} from "./running-service.ts";

const isRoot = process.getuid?.() === 0;

describe("the first start", { concurrency: 2 }, () => {
  test("of several at the same time: one serves, the others report it", async (t) => {
    const dataDir = makeFolder(t);
    // As root also: a folder closed to all keeps its database inside, and only PostgreSQL's group may pass.
    chmodSync(dataDir, 0o700);
    const services = Array.from({ length: 4 }, () => spawnService(t, dataDir));
    const results = await Promise.allSettled(services.map((service) => service.waitFor("test.ready")));
    const failures = results.flatMap((result) => (result.status === "rejected" ? [String(result.reason)] : []));
    assert.equal(failures.length, 3, failures.join("\n"));
    for (const failure of failures) assert.match(failure, /already running on the data directory/);
    const winner = results.find((result) => result.status === "fulfilled");
    assert.equal((await query(String(winner?.value["adminUrl"]), "select 1")).length, 1);
    assert.equal(existsSync(clusterOf(dataDir)), true);
    assert.equal(statSync(dataDir).mode & 0o777, isRoot ? 0o710 : 0o700);
  });

  test("as a normal user, in a folder with a path too long for sockets", { skip: cannotBeNobody() }, async (t) => {
    const dataDir = join(makeFolder(t), "x".repeat(100));
    mkdirSync(dataDir);
    chownSync(dataDir, NOBODY.uid, NOBODY.gid);
    const service = await startService(t, dataDir, { uid: NOBODY.uid, gid: NOBODY.gid });
    assert.equal((await query(service.adminUrl, "select 1")).length, 1);
    assert.equal(statSync(clusterOf(dataDir)).uid, NOBODY.uid);
    assert.ok(service.socketDir.startsWith(tmpdir()));
    assert.equal(statSync(service.socketDir).mode & 0o777, 0o700);
    await service.kill();
    await waitUntilNothingRuns(clusterOf(dataDir));

    await t.test("root then runs it under that user's account", async (inner) => {
      const second = await startService(inner, dataDir);
      assert.equal(existsSync(service.socketDir), false, "the folder of the killed run is gone");
      assert.equal(statSync(second.socketDir).uid, NOBODY.uid);
      assert.equal((await query(second.adminUrl, "select 1")).length, 1);
      await second.stop();
      assert.equal(existsSync(second.socketDir), false);
    });
  });

  test("as root below a folder that only root can enter", { skip: isRoot ? false : "needs root" }, async (t) => {
    const closed = makeFolder(t);
    chmodSync(closed, 0o700);
    const dataDir = join(closed, "clone", "data");
    const service = await startService(t, dataDir, { umask: "077" });
    const { home } = JSON.parse(readFileSync(join(dataDir, "postgres.json"), "utf8")) as { home: string };
    assert.match(home, /^\/var\/lib\/swarmbase\/[0-9a-f]{16}(-\d+)?$/);
    t.after(() => rmSync(home, { recursive: true, force: true }));
    const status = readFileSync(`/proc/${postmasterPid(join(home, "cluster"))}/status`, "utf8");
    assert.match(status, /^Groups:\s*$/m, "PostgreSQL has none of root's groups");
    await query(service.adminUrl, "create table kept as select 1 as one");
    await assert.rejects(startService(t, dataDir), /already running/);
    await service.kill();

    await t.test("later starts find the same database, even when the folder has been opened", async (inner) => {
      chmodSync(closed, 0o755);
      const second = await startService(inner, dataDir);
      assert.equal((await query(second.adminUrl, "select * from kept")).length, 1);
      assert.equal(existsSync(clusterOf(dataDir)), false);
      await second.stop();
    });

    await t.test("a data directory made anew in the same place gets a database of its own", async (inner) => {
      rmSync(dataDir, { recursive: true });
      chmodSync(closed, 0o700);
      const third = await startService(inner, dataDir, { password: "another" });
      const record = JSON.parse(readFileSync(join(dataDir, "postgres.json"), "utf8")) as { home: string };
      inner.after(() => rmSync(record.home, { recursive: true, force: true }));
      assert.notEqual(record.home, home);
      assert.deepEqual(await query(third.adminUrl, "select 1 from pg_class where relname = 'kept'"), []);
      await third.stop();
    });
    await waitUntilNothingRuns(join(home, "cluster"));
  });
});

describe("a data directory that cannot be used", () => {
  test("below a file", async (t) => {
    const file = join(makeFolder(t), "file");
    writeFileSync(file, "");
    await assert.rejects(
      startService(t, join(file, "data")),
      new RegExp(`cannot use ${file}.*(a file, not a folder|already there)`),
    );
  });

  test("that this account may not write", { skip: cannotBeNobody() }, async (t) => {
    const dataDir = makeFolder(t);
    chmodSync(dataDir, 0o555);
    await assert.rejects(startService(t, dataDir, NOBODY), new RegExp(`cannot use ${dataDir}.*EACCES`));
    assert.deepEqual(readdirSync(dataDir), []);
  });

  test("on a file system that takes no folders", {
    skip: process.platform === "linux" ? false : "uses /proc",
  }, async (t) => {
    await assert.rejects(startService(t, "/proc/swarmbase"), /cannot use \/proc\/swarmbase/);
  });

  test("with something else in the place of the database", async (t) => {
    const dataDir = makeFolder(t);
    mkdirSync(clusterOf(dataDir), { recursive: true });
    writeFileSync(join(clusterOf(dataDir), "precious"), "x");
    if (isRoot) chownSync(clusterOf(dataDir), NOBODY.uid, NOBODY.gid);
    await assert.rejects(startService(t, dataDir), /not a PostgreSQL cluster/);
    assert.deepEqual(readdirSync(clusterOf(dataDir)), ["precious"]);
  });
});
