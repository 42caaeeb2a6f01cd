import assert from "node:assert/strict";
import { once } from "node:events";
import { createReadStream, existsSync } from "node:fs";
import { copyFile, mkdir, open, readdir, readFile, stat, truncate, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { createGunzip, gzipSync } from "node:zlib";
import pg from "pg";
import { type BackupManifest, parseManifest } from "../../src/commands/archive/manifest.ts";
import { readTar, renderTarHeader, TAR_END, tarPadding } from "../../src/commands/archive/tar.ts";
import { closeAfter, get, makeDataDir, makeUsedDataDir, readCredentials, runProgram } from "../app/program.ts";
import type { Cleanup } from "../support/database.ts";
import { runHere } from "../support/run-here.ts";
import { startServiceHere } from "../support/service-here.ts";
import { SEVERAL_STARTS } from "../support/wait-limit.ts";
import { until } from "../support/until.ts";

async function ask<Row extends pg.QueryResultRow>(url: string, text: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(text)).rows;
  } finally {
    await client.end();
  }
}

async function readManifestOf(file: string): Promise<BackupManifest> {
  for await (const entry of readTar(createReadStream(file).pipe(createGunzip()))) {
    const parts: Buffer[] = [];
    for await (const chunk of entry.content) parts.push(chunk);
    if (entry.path === "manifest.json") return parseManifest(Buffer.concat(parts).toString());
  }
  throw new Error("no manifest");
}

test("a backup of a running and of a stopped instance, restored", SEVERAL_STARTS, async (t) => {
  const dataDir = await makeUsedDataDir(t);
  const home = dirname(dataDir);
  const env = { DATA_DIR: dataDir };
  const cleanup: Cleanup = { after: (close) => closeAfter(t, close) };
  const { credentials: before, stop } = await startServiceHere(cleanup, { dataDir });
  await ask(before.database_url, "create table public.entries (id int primary key, note text)");

  // A client writes one transaction after the other: a copy that is consistent has no gap.
  const writing = new AbortController();
  const writer = (async () => {
    const client = new pg.Client({ connectionString: before.database_url });
    await client.connect();
    let written = 0;
    while (!writing.signal.aborted) {
      written += 1;
      await client.query("insert into public.entries values ($1, repeat('x', 500))", [written]);
      // At full speed the writer takes a core from the backup and changes nothing in what is proven.
      await delay(2);
    }
    await client.end();
    return written;
  })();
  await t.test("while it runs", async () => {
    const written = (): Promise<unknown[]> => ask(before.database_url, "select 1 from public.entries limit 1");
    await until(async () => (await written()).length > 0, "the writer has written");
    const [start] = await ask<{ n: number }>(before.database_url, "select max(id) as n from public.entries");
    const named = join(home, "named", "live.tgz");
    const { code, stdout, stderr } = await runHere(["backup", "--to", named], env);
    assert.equal(code, 0, stderr);
    assert.equal(stdout, `${named}\n`);
    await assertPrivate(named);
    await copyFile(named, join(home, "live.tar.gz"));
    assert.match(stderr, /copying the running database/);
    const manifest = await readManifestOf(join(home, "live.tar.gz"));
    assert.equal(manifest.postgresMajor, 18);
    assert.ok(manifest.hasMasterKey && manifest.files["master.key"] !== undefined);
    assert.ok(manifest.files["cluster/backup_label"] !== undefined, "taken over the replication protocol");
    await writeFile(join(home, "start"), String(start?.n));
  });
  writing.abort();
  const written = await writer;

  await t.test("a file that is there stays as it is", async () => {
    const size = (await stat(join(home, "live.tar.gz"))).size;
    const { code, stderr } = await runHere(["backup", "--to", join(home, "live.tar.gz")], env);
    assert.equal(code, 1);
    assert.match(stderr, /never replaces a file/);
    assert.equal((await stat(join(home, "live.tar.gz"))).size, size);
  });

  await t.test("restoring over a running service is rejected", async () => {
    const { code, stderr } = await runHere(["restore", join(home, "live.tar.gz"), "--replace"], env);
    assert.equal(code, 1);
    assert.match(stderr, /already running on .* Stop it first; nothing was changed/);
  });
  await stop();

  await t.test("of a stopped service, into a folder", async () => {
    await mkdir(join(home, "kept"));
    // Of a backup that was killed: no process has so great an id.
    await writeFile(join(home, "kept", ".swarmbase-backup.x.tar.gz.99999999.partial"), "half");
    const { code, stdout, stderr } = await runHere(["backup", "--to", join(home, "kept")], env);
    assert.equal(code, 0, stderr);
    assert.match(stderr, /copying the stopped database/);
    assert.equal((await readdir(join(home, "kept"))).length, 1);
    assert.match(stdout, /kept\/swarmbase-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ\.tar\.gz\n$/);
    await copyFile(stdout.trim(), join(home, "stopped.tar.gz"));
  });

  await t.test("into a missing folder, which is created for its owner alone", async () => {
    const folder = join(home, "a", "new.tar.gz");
    const { code, stdout, stderr } = await runHere(["backup", "--to", `${folder}/`], env);
    assert.equal(code, 0, stderr);
    assert.equal(dirname(stdout.trim()), folder);
    await assertPrivate(stdout.trim());
  });

  await t.test("a folder in use needs --replace, and is moved to another name", async () => {
    const rejected = await runHere(["restore", join(home, "stopped.tar.gz")], env);
    assert.equal(rejected.code, 1);
    assert.match(rejected.stderr, /is not empty, and nothing was changed[\s\S]*--replace/);
    const done = await runHere(["restore", join(home, "stopped.tar.gz"), "--replace"], env);
    assert.equal(done.code, 0, done.stderr);
    const previous = (await readdir(home)).find((name) => name.startsWith("data.before-"));
    assert.ok(previous !== undefined && existsSync(join(home, previous, "master.key")));
    const again = await startServiceHere(cleanup, { dataDir });
    const { database_url: url, anon_key } = again.credentials;
    assert.equal(anon_key, before.anon_key);
    const [row] = await ask<{ n: number }>(url, "select count(*)::int as n from public.entries");
    assert.equal(row?.n, written, "everything that was committed before the stop");
    await again.stop();
  });

  await t.test("damaged and foreign files are rejected, and leave nothing", async () => {
    const whole = join(home, "live.tar.gz");
    const cases: [name: string, make: (file: string) => Promise<unknown>, expected: RegExp][] = [
      ["cut", async (file) => truncate(file, (await stat(file)).size - 100_000), /cut off/],
      ["bent", bendMiddle, /damaged/],
      ["text", (file) => writeFile(file, "no backup at all"), /is not a backup of Swarmbase/],
      ["traversal", (file) => writeFile(file, gzipSync(oneFile("../../outside", "x"))), /path that is not allowed/],
      ["endless", (file) => writeFile(file, gzipSync(oneFile("cluster/PG_VERSION", "18\n"))), /cut off/],
      [
        "newer",
        (file) => writeFile(file, gzipSync(oneFile("manifest.json", '{"format":9,"version":"9.0"}'))),
        /format 9/,
      ],
    ];
    for (const [name, make, expected] of cases) {
      const file = join(home, `${name}.tar.gz`);
      await copyFile(whole, file);
      await make(file);
      const target = join(home, `from-${name}`);
      const { code, stderr } = await runHere(["restore", file, "--to", target], env);
      assert.equal(code, 1, name);
      assert.match(stderr, expected, name);
      assert.ok(!existsSync(target), name);
    }
    assert.ok(!existsSync(join(dirname(home), "outside")));
    assert.deepEqual(leftovers(await readdir(home)), []);
  });

  await t.test("a killed restore leaves no partial result, and the next one removes its remains", async () => {
    const target = join(home, "copy");
    const restoring = runProgram(t, ["restore", join(home, "live.tar.gz"), "--to", target]);
    const seen = (async () => {
      while (leftovers(await readdir(home)).length === 0) await delay(5);
    })();
    await seen;
    restoring.child.kill("SIGKILL");
    await once(restoring.child, "close");
    assert.ok(!existsSync(target));

    const { code, stdout, stderr } = await runHere(["restore", join(home, "live.tar.gz"), "--to", target]);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^Restored the backup of \d{4}-/);
    assert.deepEqual(leftovers(await readdir(home)), []);
    assert.deepEqual(
      await readFile(join(target, "master.key"), "utf8"),
      await readFile(join(dataDir, "master.key"), "utf8"),
    );

    // The program, once: it needs nothing but the folder.
    const copy = runProgram(t, ["serve"], { env: { DATA_DIR: target } });
    await copy.waitFor("service.started");
    const credentials = await readCredentials(target);
    assert.equal(credentials.service_role_key, before.service_role_key);
    assert.equal((await get(`${credentials.url}/health`, credentials.ca_cert_file)).status, 200);
    const [row] = await ask<{ count: number; last: number }>(
      credentials.database_url,
      "select count(*)::int as count, max(id) as last from public.entries",
    );
    const committedBefore = Number(await readFile(join(home, "start"), "utf8"));
    assert.ok(row !== undefined && row.count === row.last, "no gap");
    assert.ok(row.last >= committedBefore && row.last <= written, `${row.last} of ${committedBefore} to ${written}`);
    await copy.stop();
  });
});

test("backup and restore explain what they cannot do", async (t) => {
  const dataDir = await makeDataDir(t);
  const external = { DATABASE_URL: "postgresql://u:p@127.0.0.1:1/x", MASTER_KEY: "m".repeat(40), DATA_DIR: dataDir };
  const cases: [args: string[], env: Record<string, string>, code: number, expected: RegExp][] = [
    [["backup"], { DATA_DIR: dataDir }, 1, /has not been started with the data directory/],
    [["backup"], external, 1, /DATABASE_URL is set[\s\S]*backups of your provider[\s\S]*MASTER_KEY/],
    [["restore", "x.tar.gz"], external, 1, /DATABASE_URL is set/],
    [["restore"], { DATA_DIR: dataDir }, 2, /Name the file/],
    [["restore", "missing.tar.gz"], { DATA_DIR: dataDir }, 1, /missing\.tar\.gz cannot be read/],
  ];
  for (const [args, env, code, expected] of cases) {
    const result = await runHere(args, env);
    assert.equal(result.code, code, args.join(" "));
    assert.match(result.stderr, expected);
  }
  assert.ok(!existsSync(dataDir));
});

/** A backup in a folder that the command created. */
async function assertPrivate(file: string): Promise<void> {
  assert.equal((await stat(dirname(file))).mode & 0o777, 0o700);
  assert.equal((await stat(file)).mode & 0o777, 0o600);
  assert.equal(await readFile(join(dirname(file), ".gitignore"), "utf8"), "*\n");
}

function leftovers(names: readonly string[]): string[] {
  return names.filter((name) => name.includes("restoring") || name.endsWith(".partial"));
}

async function bendMiddle(file: string): Promise<void> {
  const handle = await open(file, "r+");
  try {
    const middle = Math.floor((await handle.stat()).size / 2);
    const { buffer } = await handle.read(Buffer.alloc(64), 0, 64, middle);
    await handle.write(
      buffer.map((byte) => byte ^ 0xff),
      0,
      64,
      middle,
    );
  } finally {
    await handle.close();
  }
}

function oneFile(path: string, text: string): Buffer {
  const content = Buffer.from(text);
  const header = renderTarHeader({ path, kind: "file", sizeBytes: content.length, mode: 0o600 }, 0);
  return Buffer.concat([header, content, tarPadding(content.length), TAR_END]);
}
