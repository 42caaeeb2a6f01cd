import assert from "node:assert/strict";
import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import pg from "pg";
import packageJson from "../../package.json" with { type: "json" };
import { makeDataDir, type RunOptions, readCredentials, runProgram } from "../app/program.ts";
import { runHere } from "../support/run-here.ts";
import { SEVERAL_STARTS } from "../support/wait-limit.ts";

async function run(t: TestContext, args: string[], options: RunOptions = {}) {
  const program = runProgram(t, args, options);
  const { code } = await program.exited;
  return { code, stdout: program.stdout(), stderr: program.stderr() };
}

test("the program prints its version", async (t) => {
  const { code, stdout, stderr } = await run(t, ["--version"]);
  assert.deepEqual({ code, stderr }, { code: 0, stderr: "" });
  assert.ok(stdout.startsWith(`swarmbase ${packageJson.version} `), stdout);
});

test("without the source condition the launcher hands over, and keeps output and exit codes", async (t) => {
  const options = { withCondition: false };
  assert.match((await run(t, ["version"], options)).stdout, /^swarmbase /);
  assert.equal((await run(t, ["nonsense"], options)).code, 2);
});

test("commands that need a database fail with an explanation before the first start", async (t) => {
  const dataDir = await makeDataDir(t);
  for (const args of [["psql"], ["keys", "show"], ["keys", "rotate"], ["listen"]]) {
    const { code, stderr } = await runHere(args, { DATA_DIR: dataDir });
    assert.equal(code, 1);
    assert.match(stderr, /^The service has not been started with the data directory .* npm start\n$/);
  }
  await assert.rejects(stat(dataDir), "and make nothing");
});

test("certificate renew keeps the authority unless a new one is asked for", async (t) => {
  const dataDir = await makeDataDir(t);
  const env = { DATA_DIR: dataDir };
  const authority = () => readFile(join(dataDir, "tls", "ca-cert.pem"), "utf8");
  assert.equal((await runHere(["certificate", "renew"], env)).code, 0);
  const first = await authority();
  const renewed = await runHere(["certificate", "renew"], env);
  assert.match(
    renewed.stdout,
    /^Created a new certificate for localhost\. Clients that trust .*ca-cert\.pem need no change\.\n$/,
  );
  assert.equal(await authority(), first);
  const replaced = await runHere(["certificate", "renew", "--new-authority"], env);
  assert.match(replaced.stdout, /^Created a new authority and a certificate\. Clients need the new .*ca-cert\.pem\n$/);
  assert.notEqual(await authority(), first);

  for (const [args, more, code, expected] of [
    [["certificate"], {}, 2, /The action is missing: certificate renew, trust, untrust/],
    [["certificate", "renew"], { TLS_MODE: "proxy", TRUSTED_PROXIES: "10.0.0.1" }, 1, /TLS_MODE is proxy/],
    [["certificate", "renew"], { TLS_CERT_FILE: "/x", TLS_KEY_FILE: "/y" }, 1, /TLS_CERT_FILE is set/],
  ] as const) {
    const rejected = await runHere(args, { ...env, ...more });
    assert.equal(rejected.code, code);
    assert.match(rejected.stderr, expected);
  }
});

test("migrate, keys, psql and remove-data on a stopped and on a running database", SEVERAL_STARTS, async (t) => {
  const dataDir = await makeDataDir(t);
  const env = { DATA_DIR: dataDir };
  const first = await run(t, ["migrate"], { env });
  assert.equal(first.code, 0, first.stderr);
  assert.match(first.stdout, /^Applied:\n {2}0001_/);
  assert.equal((await runHere(["migrate"], env)).stdout, "The database is up to date.\n");

  const shownAtRest = await runHere(["keys", "show"], env);
  assert.equal(shownAtRest.code, 0, shownAtRest.stderr);
  assert.match(shownAtRest.stdout, /^ANON_KEY=eyJ\S+\nSERVICE_ROLE_KEY=eyJ\S+\n# access_token current: [\w-]{43}\n/);

  // The launcher hands over here too, and must keep the signal of the stop below.
  const service = runProgram(t, ["serve"], { env, withCondition: false });
  await service.waitFor("service.started");
  const before = await readCredentials(dataDir);
  assert.equal((await runHere(["keys", "show"], env)).stdout, shownAtRest.stdout);
  assert.ok(shownAtRest.stdout.includes(before.anon_key));

  const { code, stdout } = await runHere(["psql"], env);
  assert.equal(code, 0);
  assert.ok(stdout.includes(`psql ${before.database_url}\n`), stdout);
  const client = new pg.Client({ connectionString: before.database_url });
  await client.connect();
  await client.end();

  const rotated = await run(t, ["keys", "rotate"], { env });
  assert.match(rotated.stdout, /^Access tokens are now signed with [\w-]{43}\./);
  assert.match((await runHere(["keys", "show"], env)).stdout, /# access_token previous: /);

  const roles = await runHere(["keys", "rotate", "role", "--grace", "60"], env);
  assert.match(roles.stdout, /The old ones are valid until \d{4}-/);
  const after = await readCredentials(dataDir);
  assert.notEqual(after.anon_key, before.anon_key);
  assert.ok(roles.stdout.includes(`ANON_KEY=${after.anon_key}\n`));
  assert.deepEqual({ ...after, anon_key: "", service_role_key: "" }, { ...before, anon_key: "", service_role_key: "" });
  assert.equal((await stat(join(dataDir, "credentials.json"))).mode & 0o777, 0o600);
  assert.match((await runHere(["migrate"], env)).stderr, /already running/);

  await writeFile(join(dataDir, "notes.txt"), "mine");
  const rejected = await runHere(["remove-data", "--yes"], env);
  assert.deepEqual([rejected.code, rejected.stdout], [1, ""]);
  assert.match(rejected.stderr, /already running on .* nothing was changed/);
  assert.deepEqual(await service.stop(), { code: 0, signal: null });
  assert.equal(service.lines().at(-1)?.["event"], "service.stopped");

  await t.test("remove-data lists what it would remove, and with --yes removes that and nothing else", async () => {
    const listed = await runHere(["remove-data"], env);
    assert.equal(listed.code, 1);
    for (const name of ["postgres", "master.key", "credentials.json", "tls"])
      assert.ok(listed.stdout.includes(`  ${join(dataDir, name)}\n`), name);
    assert.ok(!listed.stdout.includes("notes.txt"));
    assert.match(listed.stdout, /Nothing was removed\. .* npm run swarmbase -- remove-data --yes\n$/);

    const removed = await runHere(["remove-data", "--yes"], env);
    assert.deepEqual([removed.code, removed.stderr], [0, ""]);
    assert.match(removed.stdout, /Other files stay: notes\.txt\n$/);
    assert.deepEqual(await readdir(dataDir), ["notes.txt"]);
    assert.match((await runHere(["remove-data", "--yes"], env)).stderr, /has not been started with the data directory/);
    const external = { ...env, DATABASE_URL: "postgresql://u:p@127.0.0.1:1/x", MASTER_KEY: "m".repeat(40) };
    assert.match((await runHere(["remove-data", "--yes"], external)).stderr, /DATABASE_URL is set/);
  });
});
