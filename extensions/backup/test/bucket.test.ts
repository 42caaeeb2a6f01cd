import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { findFreePort } from "../../../server/test/support/free-port.ts";
import { startRestoredPostgres } from "../../../server/test/support/restored-postgres.ts";
import { runHere, startHere } from "../../../server/test/support/run-here.ts";
import { startServiceHere } from "../../../server/test/support/service-here.ts";
import { until } from "../../../server/test/support/until.ts";
import { SEVERAL_STARTS } from "../../../server/test/support/wait-limit.ts";
import { groupNames } from "../src/archive/names.ts";
import { S3_CREDENTIALS, startS3Server } from "./support/s3-server.ts";
import { openHome, startCommand } from "./support/swarmbase.ts";
import { useDatabase } from "./support/use-database.ts";

test(
  "the server of a list that accepts writes is archived to a bucket, verified, and restored to a time as a data directory that PostgreSQL starts",
  SEVERAL_STARTS,
  async (t) => {
    const { cleaner, home, dataDir } = await openHome(t);
    const bucket = await startS3Server(cleaner);
    // To the commands below, the database of a running service is one of the operator.
    const { credentials } = await startServiceHere(cleaner, { dataDir, env: { EXTENSIONS: "" } });
    const url = credentials.database_url;
    const masterKey = (await readFile(join(dataDir, "master.key"), "utf8")).trim();
    const env = {
      // Nothing listens on the first port.
      DATABASE_URL: url.replace("@", `@127.0.0.1:${await findFreePort()},`),
      MASTER_KEY: masterKey,
      DATA_DIR: join(home, "own"),
      EXTENSIONS: "backup",
      BACKUP_S3_URL: `${bucket.url}/archive`,
      BACKUP_S3_REGION: S3_CREDENTIALS.region,
      BACKUP_S3_ACCESS_KEY_ID: S3_CREDENTIALS.accessKeyId,
      BACKUP_S3_SECRET_ACCESS_KEY: S3_CREDENTIALS.secretAccessKey,
      BACKUP_WAL_INTERVAL_SECONDS: "1",
    };
    const list = () => groupNames([...bucket.objects.keys()].map((name) => name.replace(/^archive\//, "")));
    const first = startCommand(cleaner, ["backup", "--continuous"], env);
    await until(
      () => list().some(({ bases }) => bases.some(({ isComplete }) => isComplete)),
      "there is a base backup",
      () => first.stderr(),
    );
    const standby = startHere(["backup", "--continuous"], env);
    cleaner.after(standby.stop);
    await until(() => standby.stderr().includes("another process archives to this target"), "the second one waits");
    await first.stop("SIGKILL");
    const time = await useDatabase(url, async (client) => {
      await client.query("create table public.entries as select n from generate_series(1, 1000) n");
      await delay(5);
      const { rows } = await client.query<{ at: Date }>("select clock_timestamp() as at");
      await delay(5);
      await client.query("insert into public.entries values (-1)");
      return rows[0]?.at.toISOString() ?? "";
    });
    await until(
      () => standby.stderr().includes("continues the archive"),
      "the second one takes over",
      () => standby.stderr(),
    );

    const verified = await runHere(["backup", "--verify"], env);
    assert.equal(verified.code, 0, verified.stderr + verified.stdout);
    assert.match(verified.stdout, /have the same rows as the database at 2/);
    assert.equal(await standby.stop(), 0);
    assert.equal(list().length, 1);
    assert.deepEqual(bucket.rejected, []);
    for (const text of [standby.stderr(), first.stderr(), verified.stderr])
      assert.ok(!text.includes(S3_CREDENTIALS.secretAccessKey) && !text.includes(masterKey));

    const target = join(home, "cluster");
    const missing = await runHere(["restore", "--to-latest"], env);
    assert.equal(missing.code, 2);
    const restored = await runHere(["restore", "--to-time", time, "--to", target], env);
    assert.equal(restored.code, 0, restored.stderr);
    assert.match(restored.stdout, /Wrote a data directory of PostgreSQL 18 to .*RESTORED_COPY=hold/);
    const names = await readdir(target);
    for (const name of ["PG_VERSION", "backup_label", "recovery.signal", "postgresql.auto.conf"])
      assert.ok(names.includes(name), name);
    assert.ok((await readdir(join(target, "pg_wal"))).some((name) => /^00000001[0-9A-F]{16}$/.test(name)));
    assert.match(await readFile(join(target, "postgresql.auto.conf"), "utf8"), /restore_command = 'exit 1'/);
    const again = await runHere(["restore", "--to-latest", "--to", target], env);
    assert.equal(again.code, 1);
    assert.match(again.stderr, /is not empty, and nothing was changed/);

    const copyUrl = await startRestoredPostgres(cleaner, { dataDir, masterKey, folder: target });
    await useDatabase(copyUrl, async (client) => {
      const isOver = async (): Promise<boolean> =>
        (await client.query<{ is_so: boolean }>("select not pg_is_in_recovery() as is_so")).rows[0]?.is_so === true;
      await until(isOver, "the server has recovered");
      const { rows } = await client.query("select count(*)::int as count, min(n) as least from public.entries");
      assert.deepEqual(rows, [{ count: 1000, least: 1 }]);
      await client.query("insert into public.entries values (0)");
    });
  },
);
