import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { loadCommand, loadCommands } from "../../src/commands/command-table.ts";
import { runCommand } from "../../src/commands/index.ts";
import { nameTypedCommands, typedCommand } from "../../src/commands/typed-command.ts";

async function run(argv: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const stdin = new PassThrough();
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  const clock = { now: () => new Date(0) };
  const { signal } = new AbortController();
  const code = await runCommand(argv, { env, stdin, stdout, stderr, version: "0.0.0", clock, signal });
  stdout.end();
  stderr.end();
  return { code, stdout: await text(stdout), stderr: await text(stderr) };
}

test("every command is listed with its summary, and its help says how to use it", async () => {
  const list = await run(["help"]);
  assert.deepEqual({ code: list.code, stderr: list.stderr }, { code: 0, stderr: "" });
  assert.deepEqual(await run(["--help"]), list);
  for (const command of await loadCommands()) {
    const { name, summary } = command;
    assert.equal(await loadCommand(name), command);
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

test("messages name commands as a person types them", async () => {
  const listed = (await run(["help"])).stdout.matchAll(/^ {2}([a-z][a-z-]*) {2,}\S/gm);
  for (const [, name = ""] of listed)
    if (!["help", "version"].includes(name))
      assert.equal(nameTypedCommands(`Run swarmbase ${name}.`), `Run ${typedCommand(name)}.`);
  for (const [message, expected] of [
    ["With: swarmbase keys rotate --all", "With: npm run swarmbase -- keys rotate --all"],
    ["Run `swarmbase pull`, or npx swarmbase pull.", "Run `npm run swarmbase pull`, or npx swarmbase pull."],
    ["LOG_LEVEL=debug swarmbase serve logs more.", "LOG_LEVEL=debug npm run swarmbase serve logs more."],
    ["/home/ada/swarmbase sql, the role swarmbase owner", "/home/ada/swarmbase sql, the role swarmbase owner"],
  ] as const)
    assert.equal(nameTypedCommands(message), expected);
});

test("without a command the service is started", async () => {
  const env = { PORT: "none" };
  const { code, stderr } = await run([], env);
  assert.equal(code, 2);
  assert.match(stderr, /PORT/);
  assert.deepEqual(await run(["serve"], env), await run([], env));
});

test("the version, with and without dashes", async () => {
  for (const argv of [["version"], ["--version"], ["-v"]])
    assert.match((await run(argv)).stdout, /^swarmbase 0\.0\.0 /, argv.join(" "));
});

test("an invalid command line prints the help on stderr, with exit code 2", async () => {
  const cases: [string[], RegExp][] = [
    [["sreve"], /Unknown command "sreve"\. .*set EXTENSIONS to the same value[\s\S]*Commands:/],
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
    [["listen", "--filter", "total > 1"], /--filter must be a JSON object/],
  ];
  for (const [args, expected] of cases) {
    const { code, stdout, stderr } = await run(args);
    assert.deepEqual({ code, stdout }, { code: 2, stdout: "" }, args.join(" "));
    assert.match(stderr, expected);
  }
});

test("settings that are wrong leave the help, which names them", async () => {
  for (const env of [{ EXTENSIONS: "nothing-of-this-name" }, { PORT: "many" }]) {
    const { code, stdout } = await run(["help"], env);
    assert.equal(code, 0);
    assert.match(stdout, /^ {2}serve {2,}/m);
    assert.match(stdout, /^The commands of extensions are missing: [^]*(?:EXTENSIONS: nothing-of-this-name:|PORT )/m);
    assert.match((await run(["nonsense"], env)).stderr, /^Unknown command "nonsense"[^]*are missing: /);
  }
});
