import assert from "node:assert/strict";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import pg from "pg";
import packageJson from "../../package.json" with { type: "json" };
import { makeDataDir, type RunOptions, readCredentials, runProgram } from "../app/program.ts";

const SLOW = { timeout: 90_000 };

async function run(t: TestContext, args: string[], options: RunOptions = {}) {
  const program = runProgram(t, args, options);
  const { code } = await program.exited;
  return { code, stdout: program.stdout(), stderr: program.stderr() };
}

test("version, with and without dashes", async (t) => {
  for (const args of [["version"], ["--version"], ["-v"]]) {
    const { code, stdout, stderr } = await run(t, args);
    assert.deepEqual({ code, stderr }, { code: 0, stderr: "" });
    assert.ok(stdout.startsWith(`swarmbase ${packageJson.version} `), stdout);
  }
});

test("help lists every command, and explains each", async (t) => {
  const { code, stdout } = await run(t, ["help"]);
  assert.equal(code, 0);
  assert.equal((await run(t, ["--help"])).stdout, stdout);
  assert.equal((await run(t, [])).stdout, stdout);
  for (const name of ["serve", "migrate", "keys", "listen", "psql", "version"]) {
    assert.match(stdout, new RegExp(`^  ${name} `, "m"));
    const byWord = await run(t, ["help", name]);
    assert.equal(byWord.code, 0);
    assert.match(byWord.stdout, new RegExp(`^swarmbase ${name}: `));
    assert.equal((await run(t, [name, "--help"])).stdout, byWord.stdout);
  }
});

test("what makes no sense gets the help on stderr and exit code 2", async (t) => {
  const cases: [string[], RegExp][] = [
    [["sreve"], /There is no command "sreve"[\s\S]*Commands:/],
    [["help", "sreve"], /There is no command/],
    [["serve", "--fast"], /--fast[\s\S]*Usage: swarmbase serve/],
    [["serve", "now"], /Did not expect "now"/],
    [["keys"], /Say what to do/],
    [["keys", "burn"], /Cannot do "burn"/],
    [["keys", "rotate", "everything"], /Cannot do "rotate everything"/],
    [["keys", "rotate", "role", "--grace", "soon"], /whole number of seconds/],
    [["keys", "rotate", "--grace", "5"], /--grace goes with/],
    [["listen", "--forward", "localhost"], /--forward takes a URL such as/],
    [["listen", "--forward", "ftp://localhost/"], /--forward takes a URL such as/],
    [["listen", "--events", "agent.created,agent.exploded"], /There is no event "agent\.exploded"/],
  ];
  for (const [args, expected] of cases) {
    const { code, stdout, stderr } = await run(t, args);
    assert.deepEqual({ code, stdout }, { code: 2, stdout: "" }, args.join(" "));
    assert.match(stderr, expected);
  }
});

test("without the source condition the launcher hands over, and keeps exit codes and signals", SLOW, async (t) => {
  const options = { withCondition: false };
  assert.match((await run(t, ["version"], options)).stdout, /^swarmbase /);
  assert.equal((await run(t, ["nonsense"], options)).code, 2);
  const dataDir = await makeDataDir(t);
  const program = runProgram(t, ["serve"], { ...options, env: { DATA_DIR: dataDir } });
  await program.waitFor("service.started");
  assert.deepEqual(await program.stop(), { code: 0, signal: null });
  assert.equal(program.lines().at(-1)?.["event"], "service.stopped");
});

test("commands that need a database say so where there is none yet", async (t) => {
  const dataDir = await makeDataDir(t);
  for (const args of [["psql"], ["keys", "show"], ["keys", "rotate"], ["listen"]]) {
    const { code, stderr } = await run(t, args, { env: { DATA_DIR: dataDir } });
    assert.equal(code, 1);
    assert.match(stderr, /^The service has not run with the data directory .* npm start\n$/);
  }
  await assert.rejects(stat(dataDir), "and make nothing");
});

test("migrate, keys and psql on a resting and on a running database", SLOW, async (t) => {
  const dataDir = await makeDataDir(t);
  const env = { DATA_DIR: dataDir };
  const first = await run(t, ["migrate"], { env });
  assert.equal(first.code, 0, first.stderr);
  assert.match(first.stdout, /^Applied:\n {2}0001_/);
  assert.equal((await run(t, ["migrate"], { env })).stdout, "The database is up to date.\n");

  const shownAtRest = await run(t, ["keys", "show"], { env });
  assert.equal(shownAtRest.code, 0, shownAtRest.stderr);
  assert.match(shownAtRest.stdout, /^ANON_KEY=eyJ\S+\nSERVICE_ROLE_KEY=eyJ\S+\n# access_token current: [\w-]{43}\n/);

  const service = runProgram(t, ["serve"], { env });
  await service.waitFor("service.started");
  const before = await readCredentials(dataDir);
  assert.equal((await run(t, ["keys", "show"], { env })).stdout, shownAtRest.stdout);
  assert.ok(shownAtRest.stdout.includes(before.anon_key));

  const { code, stdout } = await run(t, ["psql"], { env });
  assert.equal(code, 0);
  assert.ok(stdout.includes(`psql ${before.database_url}\n`), stdout);
  const client = new pg.Client({ connectionString: before.database_url });
  await client.connect();
  await client.end();

  const rotated = await run(t, ["keys", "rotate"], { env });
  assert.match(rotated.stdout, /^Access tokens are signed with [\w-]{43} /);
  assert.match((await run(t, ["keys", "show"], { env })).stdout, /# access_token previous: /);

  const roles = await run(t, ["keys", "rotate", "role", "--grace", "60"], { env });
  assert.match(roles.stdout, /The old ones end at \d{4}-/);
  const after = await readCredentials(dataDir);
  assert.notEqual(after.anon_key, before.anon_key);
  assert.ok(roles.stdout.includes(`ANON_KEY=${after.anon_key}\n`));
  assert.deepEqual({ ...after, anon_key: "", service_role_key: "" }, { ...before, anon_key: "", service_role_key: "" });
  assert.equal((await stat(join(dataDir, "credentials.json"))).mode & 0o777, 0o600);
  assert.match((await run(t, ["migrate"], { env })).stderr, /already running/);
});
