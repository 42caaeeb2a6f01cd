import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { once } from "node:events";
import { access, mkdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { promisify } from "node:util";
import pg from "pg";
import { runHere } from "../support/run-here.ts";
import { findFreePort } from "../support/free-port.ts";
import { closeAfter, get, isAlive, makeDataDir, makeUsedDataDir, readCredentials, runProgram } from "./program.ts";
import { SEVERAL_STARTS } from "../support/wait-limit.ts";
import { until } from "../support/until.ts";

async function query(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

test(
  "first start, what it leaves, a stop, and a start by npm that keeps everything and stops with it",
  SEVERAL_STARTS,
  async (t) => {
    const dataDir = await makeDataDir(t);
    const first = runProgram(t, ["serve"], { env: { DATA_DIR: dataDir, LOG_LEVEL: "info" } });
    const started = await first.waitFor("service.started");
    const postgres = await first.waitFor("embedded.started");
    const made = await readCredentials(dataDir);

    assert.deepEqual(Object.keys(made), ["url", "anon_key", "service_role_key", "ca_cert_file", "database_url"]);
    assert.match(made.url, /^https:\/\/localhost:\d+$/);
    assert.equal(started["url"], made.url);
    for (const file of ["credentials.json", "master.key"])
      assert.equal((await stat(join(dataDir, file))).mode & 0o777, 0o600);
    assert.equal((await stat(dataDir)).mode & 0o066, 0, "nobody else may list or write");
    assert.deepEqual(await get(`${made.url}/health`, made.ca_cert_file).then(({ status }) => status), 200);
    assert.deepEqual(await get(`${made.url}/ready`, made.ca_cert_file).then(({ status }) => status), 200);

    const secrets = [
      made.anon_key,
      made.service_role_key,
      await readFile(join(dataDir, "master.key"), "utf8").then((key) => key.trim()),
    ];
    secrets.push(decodeURIComponent(new URL(made.database_url).password));
    for (const secret of secrets) assert.ok(!`${first.stdout()}${first.stderr()}`.includes(secret));

    assert.deepEqual(await query(made.database_url, "select current_user::text as role"), [
      { role: "swarmbase_owner" },
    ]);
    await query(made.database_url, "create table public.kept as select 42 as answer");

    const second = await runHere(["serve"], { DATA_DIR: dataDir });
    assert.equal(second.code, 1);
    assert.match(second.stderr, /already running/);
    assert.equal(second.stderr.trim().split("\n").length, 1);
    assert.equal((await get(`${made.url}/ready`, made.ca_cert_file)).status, 200, "the first one is unharmed");

    assert.deepEqual(await first.stop(), { code: 0, signal: null });
    assert.equal(isAlive(Number(postgres["pid"])), false);
    assert.equal(first.stderr(), "");
    assert.equal(first.lines().at(-1)?.["event"], "service.stopped");

    const again = runProgram(t, ["serve"], { env: { DATA_DIR: dataDir, DB_POOL_SIZE: "500" }, asNpm: true });
    await again.waitFor("service.started");
    const { pid } = await again.waitFor("embedded.started");
    const { missing } = await again.waitFor("database.requirement_warning");
    assert.match(String(missing), /opens up to 1507 connections/);
    const kept = await readCredentials(dataDir);
    assert.equal(kept.anon_key, made.anon_key);
    assert.equal(kept.service_role_key, made.service_role_key);
    assert.deepEqual(await query(kept.database_url, "select answer from public.kept"), [{ answer: 42 }]);
    assert.deepEqual(await again.stop(), { code: null, signal: "SIGTERM" });
    assert.equal(again.lines().at(-1)?.["event"], "service.stopped");
    assert.equal(isAlive(Number(pid)), false);
  },
);

async function assertBannerWorks(t: TestContext, program: ReturnType<typeof runProgram>): Promise<void> {
  const banner = await waitForText(program, /Try it +(.*)\n/);
  for (const expected of [
    /is running/,
    /URL +https:\/\/localhost:\d+/,
    /Keys +.*credentials\.json/,
    /https:\/\/localhost:\d+\/docs/,
    /Ctrl-C/,
  ]) {
    assert.match(program.stdout(), expected);
  }
  assert.match(program.stdout(), /initialising/);
  const curl = await promisify(execFile)("/bin/sh", ["-c", "command -v curl"]).catch(() => null);
  if (curl === null) return t.diagnostic("no curl on this machine");
  const { stdout } = await promisify(execFile)("/bin/sh", ["-c", `${banner[1]} --silent`]);
  assert.equal(JSON.parse(stdout).status, "ok");
}

async function waitForText(program: ReturnType<typeof runProgram>, pattern: RegExp): Promise<RegExpExecArray> {
  for (;;) {
    const found = pattern.exec(program.stdout());
    if (found !== null) return found;
    if (program.child.exitCode !== null) throw new Error(program.stderr());
    await new Promise((resolve) => program.child.once("output", resolve));
  }
}

test("the log at level error has a disk that is nearly full and every request; serve continues when its output is closed", async (t) => {
  const dataDir = await makeUsedDataDir(t);
  const metricsPort = String(await findFreePort());
  const program = runProgram(t, ["serve"], {
    env: {
      DATA_DIR: dataDir,
      LOG_LEVEL: "error",
      ACCESS_LOG_ENABLED: "true",
      // More than any disk has.
      DISK_WARNING_BYTES: String(Number.MAX_SAFE_INTEGER),
      METRICS_PORT: metricsPort,
    },
  });
  const line = await program.waitFor("storage.critical");
  assert.ok(Number(line["freeBytes"]) > 0 && Number(line["walBytes"]) > 0);
  const metrics = async (): Promise<string> => (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
  let text = "";
  await until(async () => {
    text = await metrics().catch(() => "");
    return text.includes("swarmbase_wal_bytes ");
  }, "the size of the log is measured");
  for (const name of ["swarmbase_disk_free_bytes", "swarmbase_disk_size_bytes", "swarmbase_wal_bytes"])
    assert.match(text, new RegExp(`^${name} [1-9]`, "m"));

  await until(async () => (await readCredentials(dataDir).catch(() => null)) !== null, "the credentials are stored");
  const { url, ca_cert_file: caFile } = await readCredentials(dataDir);
  await get(`${url}/nowhere`, caFile);
  const { level, path, status } = await program.waitFor("request.completed");
  assert.deepEqual({ level, path, status }, { level: "info", path: "/nowhere", status: 404 });
  // A busy machine may have further errors to report, but nothing of a lower level.
  for (const line of program.lines())
    assert.ok(
      line["event"] === "request.completed" || /^(error|fatal)$/.test(String(line["level"])),
      JSON.stringify(line),
    );

  program.child.stdout?.destroy();
  program.child.stderr?.destroy();
  for (let request = 0; request < 5; request++) assert.equal((await get(`${url}/health`, caFile)).status, 200);
  assert.deepEqual(await program.stop("SIGINT"), { code: 0, signal: null });
});

test("a first start with MASTER_KEY prints what works, and another key or a lost one is explained", async (t) => {
  const dataDir = join(await makeDataDir(t), "it's a path");
  const masterKey = "a-master-key-that-an-operator-has-chosen-0123456789";
  const first = runProgram(t, ["serve"], { env: { DATA_DIR: dataDir, MASTER_KEY: masterKey, LOG_FORMAT: "pretty" } });
  await t.test("the curl line that the start prints works as printed", (sub) => assertBannerWorks(sub, first));
  await first.stop();
  await assert.rejects(access(join(dataDir, "master.key")), "a given key is not written down");

  const without = await runHere(["serve"], { DATA_DIR: dataDir });
  assert.equal(without.code, 1);
  assert.match(without.stderr, /master\.key is missing/);

  const other = await runHere(["serve"], { DATA_DIR: dataDir, MASTER_KEY: `${masterKey}x` });
  assert.equal(other.code, 1);
  assert.match(other.stderr, /master key/i);

  await writeFile(join(dataDir, "master.key"), masterKey);
  const mismatch = await runHere(["serve"], { DATA_DIR: dataDir, MASTER_KEY: `${masterKey}x` });
  assert.equal(mismatch.code, 1);
  assert.match(mismatch.stderr, /MASTER_KEY is not the key this data directory was made with/);
});

test("an unusable data directory is explained in one line, with exit code 1 and without a stack", async (t) => {
  const dataDir = await makeDataDir(t);
  await mkdir(dirname(dataDir), { recursive: true });
  await writeFile(dataDir, "in the way");
  t.after(() => rm(dataDir, { force: true }));
  const program = runProgram(t, ["serve"], { env: { DATA_DIR: dataDir } });
  const [code, stdout, stderr] = [(await program.exited).code, program.stdout(), program.stderr()];
  const below = await runHere(["serve"], { DATA_DIR: join(dataDir, "below") });
  for (const ended of [{ code, stdout, stderr }, below]) {
    assert.equal(ended.code, 1);
    assert.match(ended.stderr, /^The data directory .* cannot be used: .*\n$/);
    assert.equal(ended.stdout, "");
  }
});

test("invalid settings are listed together, with exit code 2", async (t) => {
  const program = runProgram(t, ["serve"], {
    env: { PORT: "many", LOG_LEVEL: "loud", TLS_CERT_FILE: "/x", MASTER_KEY: "hunter2" },
  });
  assert.equal((await program.exited).code, 2);
  for (const name of ["PORT", "LOG_LEVEL", "TLS_KEY_FILE"]) assert.match(program.stderr(), new RegExp(name));
  assert.ok(!program.stderr().includes("hunter2"));
  assert.doesNotMatch(program.stderr(), /^\s+at /m);
});

test("a port in use is explained in one line, before a database is created", async (t) => {
  const dataDir = await makeDataDir(t);
  const holder = createServer().listen(0);
  await once(holder, "listening");
  closeAfter(t, async () => holder.close());
  const port = String((holder.address() as AddressInfo).port);
  const program = runProgram(t, ["serve"], { env: { DATA_DIR: dataDir, PORT: port } });
  assert.equal((await program.exited).code, 1);
  assert.match(program.stderr(), new RegExp(`^Cannot listen on 127\\.0\\.0\\.1:${port}: the port is in use`));
  assert.equal(program.stderr().trim().split("\n").length, 1);
  await assert.rejects(access(dataDir), "nothing was made");
});
