import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { runHere } from "../../../server/test/support/run-here.ts";
import { startService } from "../../../server/test/support/service.ts";
import { until } from "../../../server/test/support/until.ts";
import { SEVERAL_STARTS } from "../../../server/test/support/wait-limit.ts";
import { groupNames } from "../src/archive/names.ts";
import { listArchive } from "./support/archive-folder.ts";
import { S3_CREDENTIALS, startS3Server } from "./support/s3-server.ts";
import { openHome, startCommand } from "./support/swarmbase.ts";
import { useDatabase } from "./support/use-database.ts";

const KILLS = 12;
const LONGEST_LIFE_MS = 6_000;
const EXTENSIONS = "backup,database-tools";

test(
  "nothing that was confirmed and archived is lost over many kills of the service at random moments",
  SEVERAL_STARTS,
  async (t) => {
    const { cleaner, home, dataDir } = await openHome(t);
    const archive = join(home, "archive");
    const env = { DATA_DIR: dataDir, BACKUP_DIR: archive, BACKUP_WAL_INTERVAL_SECONDS: "1", EXTENSIONS };
    let confirmed = 0;
    for (let kill = 0; kill < KILLS; kill += 1) {
      const service = await startService(cleaner, { dataDir, env });
      await useDatabase(service.credentials.database_url, async (client) => {
        await client.query("create table if not exists public.entries (id int primary key, note text)");
        const endAtMs = performance.now() + Math.random() * LONGEST_LIFE_MS;
        while (performance.now() < endAtMs) {
          await client.query("insert into public.entries values ($1, repeat('x', 2000))", [confirmed + 1]);
          confirmed += 1;
        }
        await service.stop("SIGKILL");
      });
    }
    const last = await startService(cleaner, { dataDir, env });
    const isBased = async (): Promise<boolean> =>
      (await listArchive(archive)).at(-1)?.bases.some(({ isComplete }) => isComplete) === true;
    await until(isBased, "there is a base backup", () => last.output());
    const verified = await runHere(["backup", "--verify"], env);
    assert.equal(verified.code, 0, verified.stderr + verified.stdout);
    await last.stop();
    const target = join(home, "restored");
    const restored = await runHere(["restore", "--to-latest", "--to", target], env);
    assert.equal(restored.code, 0, restored.stderr);
    const found = await runHere(["sql", "-c", "select count(*) || ' of ' || max(id) as n from public.entries"], {
      DATA_DIR: target,
      EXTENSIONS,
    });
    assert.match(found.stdout, new RegExp(`\\b${confirmed} of ${confirmed}\\b`), found.stderr);
  },
);

test(
  "a target that accepts nothing makes the database keep a limited amount of WAL, and a new chain follows",
  SEVERAL_STARTS,
  async (t) => {
    const { cleaner, home, dataDir } = await openHome(t);
    const bucket = await startS3Server(cleaner);
    const { credentials } = await startService(cleaner, { dataDir, env: { EXTENSIONS: "" } });
    const url = credentials.database_url;
    const masterKey = (await readFile(join(dataDir, "master.key"), "utf8")).trim();
    const env = {
      DATABASE_URL: url,
      MASTER_KEY: masterKey,
      DATA_DIR: join(home, "own"),
      EXTENSIONS: "backup",
      BACKUP_S3_URL: bucket.url,
      BACKUP_S3_REGION: S3_CREDENTIALS.region,
      BACKUP_S3_ACCESS_KEY_ID: S3_CREDENTIALS.accessKeyId,
      BACKUP_S3_SECRET_ACCESS_KEY: S3_CREDENTIALS.secretAccessKey,
      BACKUP_WAL_INTERVAL_SECONDS: "1",
      BACKUP_WAL_LIMIT_BYTES: String(64 * 1024 * 1024),
    };
    const bases = (): number =>
      groupNames([...bucket.objects.keys()]).filter(({ bases: some }) => some.some(({ isComplete }) => isComplete))
        .length;
    const slots = async (): Promise<number> =>
      useDatabase(url, async (client) => {
        const { rowCount } = await client.query("select from pg_replication_slots where slot_type = 'physical'");
        return rowCount ?? 0;
      });
    const archiver = startCommand(cleaner, ["backup", "--continuous"], env);
    await until(
      () => bases() === 1,
      "there is a base backup",
      () => archiver.stderr(),
    );
    assert.equal(await slots(), 1);
    bucket.failNext(Number.POSITIVE_INFINITY);
    // About 24 MB each time.
    const write = (times: number): Promise<void> =>
      useDatabase(url, async (client) => {
        for (let round = 0; round < times; round += 1) {
          await client.query("create table public.waste as select md5(random()::text) from generate_series(1, 350000)");
          await client.query("drop table public.waste");
        }
      });
    await write(2);
    await until(
      () => archiver.stderr().includes("the database keeps WAL that the target does not accept"),
      "it warns",
      () => archiver.stderr(),
    );
    await write(2);
    await until(
      () => archiver.stderr().includes("more than BACKUP_WAL_LIMIT_BYTES"),
      "it gives up",
      () => archiver.stderr(),
    );
    assert.equal(await slots(), 0);
    bucket.failNext(0);
    await until(
      () => bases() === 2,
      "a new chain follows",
      () => archiver.stderr(),
    );
    const verified = await runHere(["backup", "--verify"], env);
    assert.equal(verified.code, 0, verified.stderr + verified.stdout);
  },
);
