import assert from "node:assert/strict";
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { findFreePort } from "../../../server/test/support/free-port.ts";
import { runHere } from "../../../server/test/support/run-here.ts";
import { startService } from "../../../server/test/support/service.ts";
import { until } from "../../../server/test/support/until.ts";
import { SEVERAL_STARTS } from "../../../server/test/support/wait-limit.ts";
import { HEAD } from "../src/archive/names.ts";
import { flipByte, listArchive, removeObject } from "./support/archive-folder.ts";
import { openHome } from "./support/swarmbase.ts";
import { useDatabase } from "./support/use-database.ts";

const ENV = { BACKUP_WAL_INTERVAL_SECONDS: "1", EXTENSIONS: "backup,database-tools" };

test(
  "a continuous backup survives kill -9, restores to the end and to a time, and its verification finds damage",
  SEVERAL_STARTS,
  async (t) => {
    const { cleaner, home, dataDir } = await openHome(t);
    const archive = join(home, "archive");
    const metricsPort = String(await findFreePort());
    const env = { ...ENV, DATA_DIR: dataDir, BACKUP_DIR: archive, METRICS_PORT: metricsPort };
    const first = await startService(cleaner, { dataDir, env });
    const { database_url: firstUrl } = first.credentials;
    await useDatabase(firstUrl, (client) =>
      client.query("create table public.entries (id int primary key, note text)"),
    );
    const hasBase = async (): Promise<boolean> =>
      (await listArchive(archive)).some(({ bases }) => bases.some(({ isComplete }) => isComplete));
    const writing = new AbortController();
    const writer = write(firstUrl, writing.signal);
    await until(hasBase, "there is a base backup", () => first.output());
    const countWal = async (): Promise<number> => (await listArchive(archive))[0]?.wal.length ?? 0;
    const withBase = await countWal();
    await until(async () => (await countWal()) >= withBase + 4, "WAL is archived");
    // The archiver is in the middle of its work, and so is the database.
    await first.stop("SIGKILL");
    writing.abort();
    const written = await writer;

    await t.test("doctor misses the newest WAL when somebody has deleted it", async () => {
      const copy = join(home, "shortened");
      await cp(archive, copy, { recursive: true });
      const doctor = async (): Promise<string> => (await runHere(["doctor"], { ...env, BACKUP_DIR: copy })).stdout;
      assert.match(await doctor(), /is complete until 2/);
      // The process may have been killed before its head counted the last one.
      const [chain] = await listArchive(copy);
      for (const { name } of chain?.wal.slice(-2) ?? []) await removeObject(join(copy, name));
      assert.match(await doctor(), /the archive is not complete: The WAL from \S+ to \S+ is missing, although/);
    });

    const second = await startService(cleaner, { dataDir, env });
    await until(
      () => second.output().includes("continues the archive"),
      "the archive continues",
      () => second.output(),
    );
    const between = await useDatabase(second.credentials.database_url, async (client) => {
      const { rows } = await client.query<{ n: number }>("select count(*)::int as n from public.entries");
      assert.ok((rows[0]?.n ?? 0) >= written, "nothing answered was lost");
      await client.query("insert into public.entries values (-1, 'before')");
      await delay(5);
      const { rows: times } = await client.query<{ at: Date }>("select clock_timestamp() as at");
      await delay(5);
      await client.query("insert into public.entries values (-2, 'after')");
      return { time: times[0]?.at.toISOString() ?? "", count: (rows[0]?.n ?? 0) + 1 };
    });

    await t.test("verification compares the running database with its recovered copy", async () => {
      const { code, stdout, stderr } = await runHere(["backup", "--verify"], env);
      assert.equal(code, 0, stderr + stdout);
      assert.match(stdout, /tables and \d+ indexes are intact\./);
      assert.match(stdout, /tables have the same rows as the database at 2/);
      const { stdout: findings } = await runHere(["doctor"], env);
      assert.match(findings, /the archive was verified at 2\S+, to the position [0-9A-F]+\/[0-9A-F]+/);
    });
    const metrics = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
    const archivedAt = /^swarmbase_backup_archived_timestamp_seconds (\d+)/m.exec(metrics)?.[1];
    assert.ok(Number(archivedAt) * 1_000 >= Math.floor(Date.parse(between.time) / 1_000) * 1_000, metrics);
    assert.match(metrics, /^swarmbase_backup_base_timestamp_seconds \d+/m);
    await second.stop();
    assert.equal((await listArchive(archive)).length, 1, "one chain without a gap");

    await t.test("the last state", async () => {
      const target = join(home, "latest");
      const { code, stderr, stdout } = await runHere(["restore", "--to-latest", "--to", target], env);
      assert.equal(code, 0, stderr);
      assert.match(stdout, /Restored the state of .* to .*latest\nDeliveries, agent runs and mails are held/);
      assert.equal(await count(target), between.count + 1);
    });

    await t.test("the state between two writes", async () => {
      const target = join(home, "between");
      const args = ["restore", "--from", archive, "--to-time", between.time, "--to", target];
      const { code, stderr } = await runHere(args, env);
      assert.equal(code, 0, stderr);
      assert.equal(await count(target), between.count);
    });

    await t.test("a time that the archive does not have, and a time without an offset", async () => {
      const early = await runHere(["restore", "--to-time", "2001-01-01T00:00:00Z", "--to", join(home, "x")], env);
      assert.equal(early.code, 1);
      assert.match(early.stderr, /The archive begins at 2/);
      const late = await runHere(["restore", "--to-time", "2999-01-01T00:00:00Z", "--to", join(home, "x")], env);
      assert.match(late.stderr, /The archive has nothing between .* and now/);
      const local = await runHere(["restore", "--to-time", "2026-01-01 10:00", "--to", join(home, "x")], env);
      assert.equal(local.code, 2);
      const other = await runHere(["restore", "--to-latest", "--to", join(home, "x")], {
        ...env,
        MASTER_KEY: "k".repeat(40),
      });
      assert.equal(other.code, 1);
      assert.match(other.stderr, /encrypted with another master key/);
    });

    const [chain] = await listArchive(archive);
    const newest = chain?.wal.findLast(({ end, start }) => end - start > 1_000n)?.name ?? "";
    const damages: [title: string, damage: (folder: string) => Promise<void>, expected: RegExp][] = [
      ["a changed byte in the WAL", (folder) => flipByte(join(folder, newest)), /is damaged/],
      ["a missing object of WAL", (folder) => removeObject(join(folder, newest)), /The WAL from .* to .* is missing/],
      ["a missing head", (folder) => removeObject(join(folder, HEAD)), /The head of .* is missing/],
      ["a changed head", (folder) => flipByte(join(folder, HEAD)), /head\.json is damaged/],
      ["a changed byte in the base backup", (folder) => flipByte(join(folder, partOf(chain))), /is damaged/],
      [
        "a missing part of the base backup",
        (folder) => removeObject(join(folder, partOf(chain))),
        /part-000000 is missing/,
      ],
    ];
    for (const [title, damage, expected] of damages)
      await t.test(`verification finds ${title}`, async () => {
        const copy = join(home, "damaged");
        await cp(archive, copy, { recursive: true });
        await damage(copy);
        const { code, stderr } = await runHere(["backup", "--verify", "--from", copy], {
          ...env,
          DATA_DIR: join(home, "between"),
        });
        assert.equal(code, 1);
        assert.match(stderr, expected);
        const { stdout } = await runHere(["doctor"], { ...env, BACKUP_DIR: copy });
        assert.match(stdout, /the verification of the archive at 2\S+ failed \(.*\), and it was verified last at 2/);
      });
  },
);

type Chain = Awaited<ReturnType<typeof listArchive>>[number];

function partOf(chain: Chain | undefined): string {
  return chain?.bases.at(-1)?.names.find((name) => name.includes("/part-")) ?? "";
}

/** Inserts one row after the other until the database is gone. Resolves with the number of confirmed ones. */
async function write(url: string, signal: AbortSignal): Promise<number> {
  let confirmed = 0;
  await useDatabase(url, async (client) => {
    while (!signal.aborted) {
      await client.query("insert into public.entries values ($1, repeat('x', 500))", [confirmed + 1]);
      confirmed += 1;
      await delay(2);
    }
  }).catch(() => {});
  return confirmed;
}

async function count(dataDir: string): Promise<number> {
  const { code, stdout, stderr } = await runHere(["sql", "-c", "select count(*) as n from public.entries"], {
    DATA_DIR: dataDir,
    EXTENSIONS: "database-tools",
  });
  assert.equal(code, 0, stderr);
  return Number(/^\s*(\d+)\s*$/m.exec(stdout)?.[1]);
}
