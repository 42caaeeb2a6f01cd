import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { test } from "node:test";
import { COMMANDS } from "../../src/commands/command-table.ts";
import { runCommand } from "../../src/commands/index.ts";

async function run(argv: readonly string[]) {
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  const clock = { now: () => new Date(0) };
  const { signal } = new AbortController();
  const code = await runCommand(argv, { env: {}, stdout, stderr, version: "0.0.0", clock, signal });
  return { code, stdout: String(stdout.read() ?? ""), stderr: String(stderr.read() ?? "") };
}

test("every command is listed with its summary, and its help says how to use it", async () => {
  const list = await run(["help"]);
  assert.deepEqual({ code: list.code, stderr: list.stderr }, { code: 0, stderr: "" });
  for (const argv of [["--help"], []]) assert.deepEqual(await run(argv), list);
  for (const { name, summary } of COMMANDS) {
    assert.ok(
      list.stdout.split("\n").some((line) => line.startsWith(`  ${name} `) && line.endsWith(summary)),
      name,
    );
    const help = await run([name, "--help"]);
    assert.equal(help.code, 0);
    assert.match(help.stdout, new RegExp(`^swarmbase ${name}: `));
    assert.deepEqual(await run(["help", name]), help);
    if (name !== "version") assert.match(help.stdout, new RegExp(`^Usage: swarmbase ${name}`, "m"));
    for (const line of help.stdout.split("\n")) assert.ok(line.length <= 122, `${name}: ${line}`);
  }
});

test("the version, with and without dashes", async () => {
  for (const argv of [["version"], ["--version"], ["-v"]])
    assert.match((await run(argv)).stdout, /^swarmbase 0\.0\.0 /, argv.join(" "));
});

test("an invalid command line prints the help on stderr, with exit code 2", async () => {
  const cases: [string[], RegExp][] = [
    [["sreve"], /Unknown command "sreve"[\s\S]*Commands:/],
    [["help", "sreve"], /Unknown command/],
    [["serve", "--fast"], /--fast[\s\S]*Usage: swarmbase serve/],
    [["serve", "now"], /Unexpected argument "now"/],
    [["keys"], /The action is missing/],
    [["keys", "burn"], /Unknown action "burn"/],
    [["keys", "rotate", "everything"], /Unknown action "rotate everything"/],
    [["keys", "rotate", "role", "--grace", "soon"], /whole number of seconds/],
    [["keys", "rotate", "--grace", "5"], /--grace is an option of/],
    [["listen", "--forward", "localhost"], /--forward must be a URL such as/],
    [["listen", "--forward", "ftp://localhost/"], /--forward must be a URL such as/],
    [["listen", "--events", "agent.created,agent.exploded"], /Unknown event "agent\.exploded"/],
  ];
  for (const [args, expected] of cases) {
    const { code, stdout, stderr } = await run(args);
    assert.deepEqual({ code, stdout }, { code: 2, stdout: "" }, args.join(" "));
    assert.match(stderr, expected);
  }
});
