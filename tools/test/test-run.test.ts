import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, normalize, resolve } from "node:path";
import { after, describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import { makeMemoryFolder } from "../memory-folder.ts";
import { groupTests, writeGroups } from "../test-groups.ts";
import { planTestRun } from "../test-run.ts";

const folders: string[] = [];
after(() => folders.forEach((folder) => rmSync(folder, { recursive: true })));

function makeTree(texts: Record<string, string>): string {
  const root = mkdtempSync(join(tmpdir(), "swarmbase-tools-"));
  folders.push(root);
  for (const [path, text] of Object.entries(texts)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

const RUN_GROUPS = pathToFileURL(join(import.meta.dirname, "../run-groups.ts")).href;

/** As it is run, in groups. */
function run(root: string, argv: readonly string[], repeatsFailures = false, more: NodeJS.ProcessEnv = {}) {
  const { options = [], files = [] } = planTestRun(root, argv) ?? {};
  const paths = writeGroups(root, groupTests(root, files), makeTree({}), 500);
  const text = `
    import { runGroups } from ${JSON.stringify(RUN_GROUPS)};
    const run = ${JSON.stringify({ root, options, paths, repeatsFailures, folder: makeTree({}) })};
    process.exitCode = await runGroups({ ...run, env: process.env });`;
  const script = join(makeTree({ "run.mjs": text }), "run.mjs");
  // Without this variable the inner runner would take itself for a part of the outer one and run nothing.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  return spawnSync(process.execPath, [script], { cwd: root, encoding: "utf8", env: { ...env, ...more } });
}

const PASSING = 'import { test } from "node:test";\ntest("passes", () => {});\n';
const FAILING = 'import { test } from "node:test";\ntest("fails", () => { throw new Error("no"); });\n';

describe("planTestRun", () => {
  it("finds the tests of all workspaces, and none of what is installed", () => {
    const root = makeTree({
      "clients/sdk/test/a.test.ts": "",
      "server/test/http/b.test.ts": "",
      "acceptance/4.1-agents.test.ts": "",
      "tools/test/c.test.ts": "",
      "server/node_modules/x/d.test.ts": "",
      "server/src/e.ts": "",
    });
    const expected = [
      "acceptance/4.1-agents.test.ts",
      "clients/sdk/test/a.test.ts",
      "server/test/http/b.test.ts",
      "tools/test/c.test.ts",
    ];
    assert.deepEqual(planTestRun(root, [])?.files, expected.map(normalize));
  });

  it("takes a folder for the tests in it", () => {
    const root = makeTree({
      "clients/sdk/test/a.test.ts": "",
      "server/test/http/b.test.ts": "",
      "server/test/db/c.test.ts": "",
    });
    assert.deepEqual(planTestRun(root, ["server/test/http"])?.files, [normalize("server/test/http/b.test.ts")]);
    assert.equal(planTestRun(root, ["server/test/rest"]), null);
  });

  it("takes patterns instead of everything and passes options on", () => {
    const root = makeTree({ "clients/sdk/test/a.test.ts": "", "tools/test/b.test.ts": "" });
    const plan = planTestRun(root, ["tools/**/*.test.ts", "--test-name-pattern=x"]);
    assert.ok(plan?.options.includes("--test-name-pattern=x"));
    assert.equal(plan?.files.length, 1);
  });

  it("leaves long tests out unless they are asked for", () => {
    const root = makeTree({ "clients/sdk/test/a.test.ts": "", "tools/test/b.long.test.ts": "" });
    const long = normalize("tools/test/b.long.test.ts");
    assert.deepEqual(planTestRun(root, [])?.files, [normalize("clients/sdk/test/a.test.ts")]);
    assert.deepEqual(planTestRun(root, ["--long"])?.files, [long]);
    assert.ok(!planTestRun(root, ["--long"])?.options.includes("--long"));
    assert.deepEqual(planTestRun(root, [long])?.files, [long]);
    assert.equal(planTestRun(root, ["tools/**/*.test.ts"]), null);
  });

  it("says whether the whole suite is run", () => {
    const root = makeTree({ "clients/sdk/test/a.test.ts": "" });
    assert.equal(planTestRun(root, ["--test-only"])?.isWhole, true);
    assert.equal(planTestRun(root, ["clients"])?.isWhole, false);
  });

  it("plans nothing where there is no test", () => {
    const root = makeTree({ "server/src/a.ts": "" });
    assert.equal(planTestRun(root, []), null);
    assert.equal(planTestRun(root, ["server/**/*.test.ts"]), null);
  });

  it("makes a run that prints its totals and fails when a test fails", () => {
    const root = makeTree({
      "package.json": '{"type":"module"}',
      "clients/a.test.ts": PASSING,
      "tools/b.test.ts": FAILING,
    });
    const good = run(root, ["clients/a.test.ts"]);
    assert.equal(good.status, 0, good.stdout);
    assert.match(good.stdout, /ℹ tests 1\n[\s\S]*ℹ pass 1\n/);
    const bad = run(root, []);
    assert.equal(bad.status, 1);
    assert.match(bad.stdout, /ℹ tests 2\n[\s\S]*ℹ pass 1\nℹ fail 1\n/);
  });

  it("makes a run that lists every skipped test with its reason before the totals", () => {
    const root = makeTree({
      "package.json": '{"type":"module"}',
      "clients/a.test.ts": `
        import { describe, it, test } from "node:test";
        describe("outer", () => { it("inner", { skip: "there is no browser" }, () => {}); });
        describe("whole", { skip: "needs Linux" }, () => { it("part", () => {}); });
        test("late", (t) => t.skip("there is no browser"));`,
    });
    const { status, stdout } = run(root, []);
    assert.equal(status, 0, stdout);
    const list = [
      "﹣ skipped (there is no browser):",
      "    clients/a.test.ts › outer › inner",
      "    clients/a.test.ts › late",
      "﹣ skipped (needs Linux):",
      "    clients/a.test.ts › whole",
      "ℹ tests 2\n",
    ];
    assert.ok(stdout.includes(list.join("\n")), stdout);
    assert.match(stdout, /ℹ skipped 2\nℹ todo 0\nℹ duration_ms [\d.]+\n$/);
  });

  it("makes a run that fails when a test is skipped without a reason", () => {
    const skips = ['test("x", { skip: true }, () => {});', 'test.skip("x", () => {});', 'test("x", (t) => t.skip());'];
    for (const skip of skips) {
      const text = `import { test } from "node:test";\n${skip}\n`;
      const root = makeTree({
        "package.json": '{"type":"module"}',
        "clients/a.test.ts": PASSING,
        "clients/b.test.ts": text,
      });
      const { status, stdout } = run(root, []);
      assert.equal(status, 1, stdout);
      assert.match(
        stdout,
        /✖ skipped without a reason, which fails the run:\n {4}clients\/b\.test\.ts › x\nℹ tests 2\n/,
      );
    }
  });

  it("runs the global set-up once, and what it puts into the environment reaches every test", () => {
    const reading =
      'import { test } from "node:test";\ntest("t", () => { if (process.env.MADE !== "1") throw new Error(); });\n';
    const root = makeTree({
      "package.json": '{"type":"module"}',
      "server/test/support/global-setup.ts": `
        export async function globalSetup(): Promise<void> { process.env.MADE = String(Number(process.env.MADE ?? 0) + 1); }
        export async function globalTeardown(): Promise<void> { console.log("taken down"); }`,
      "server/test/a.test.ts": reading,
      "server/test/b.test.ts": reading,
    });
    const { status, stdout } = run(root, []);
    assert.equal(status, 0, stdout);
    assert.match(stdout, /ℹ pass 2\n/);
    assert.equal(stdout.match(/taken down/g)?.length, 1);
  });
});

describe("runGroups", () => {
  /** Fails in its first runs. */
  const failFor = (runs: number, name: string): string => `
    import { appendFileSync, readFileSync } from "node:fs";
    import { test } from "node:test";
    test(${JSON.stringify(name)}, () => {
      appendFileSync(new URL("./runs-${name}.txt", import.meta.url), "x");
      const runs = readFileSync(new URL("./runs-${name}.txt", import.meta.url)).length;
      if (runs <= ${runs}) throw new Error("failure of run " + runs);
    });`;
  const PACKAGE = { "package.json": '{"type":"module"}' };

  it("runs a group that failed once more, and lists it as unstable when it passes", () => {
    const root = makeTree({ ...PACKAGE, "clients/a.test.ts": PASSING, "tools/b.test.ts": failFor(1, "b") });
    const { status, stdout } = run(root, [], true);
    assert.equal(status, 0, stdout);
    assert.match(stdout, /failure of run 1/);
    assert.match(stdout, /↻ 1 of 2 groups failed and are run again, alone:\n.*tools-b\.test\.mjs\n/);
    assert.match(stdout, /⚠ unstable, passed only when run again, alone .*:\n.*tools-b\.test\.mjs\n/);
    assert.match(stdout, /ℹ tests 2\n[\s\S]*ℹ tests 1\n/);
  });

  it("fails when a group fails both times", () => {
    const root = makeTree({ ...PACKAGE, "clients/a.test.ts": failFor(1, "a"), "tools/b.test.ts": failFor(2, "b") });
    const { status, stdout } = run(root, [], true);
    assert.equal(status, 1, stdout);
    assert.doesNotMatch(stdout, /unstable/);
  });

  it("does not repeat when many groups failed, or when a test is skipped without a reason", () => {
    const names = ["clients", "extensions", "server", "tools"];
    const failing = Object.fromEntries(names.map((name) => [`${name}/x.test.ts`, failFor(1, "x")]));
    const skipping = { "clients/a.test.ts": 'import { test } from "node:test";\ntest.skip("x", () => {});\n' };
    for (const files of [failing, skipping]) {
      const { status, stdout } = run(makeTree({ ...PACKAGE, ...files }), [], true);
      assert.equal(status, 1, stdout);
      assert.doesNotMatch(stdout, /run again/);
    }
  });

  it("fails for a group whose tests have ended and left something open", () => {
    const text =
      'import net from "node:net";\nimport { test } from "node:test";\ntest("x", () => { net.createServer().listen(); });\n';
    const { status, stdout } = run(makeTree({ ...PACKAGE, "clients/a.test.ts": text, "tools/b.test.ts": PASSING }), []);
    assert.equal(status, 1, stdout);
    assert.match(stdout, /The tests left something open\./);
  });

  it("does not wait for timers that tests have left", () => {
    const text = 'import { test } from "node:test";\ntest("x", () => { setInterval(() => {}, 1_000); });\n';
    const { status, stdout } = run(makeTree({ ...PACKAGE, "clients/a.test.ts": text, "tools/b.test.ts": PASSING }), []);
    assert.equal(status, 0, stdout);
  });

  it("repeats a group whose process ended", () => {
    const text = failFor(1, "a").replace("throw new Error(", "process.exit(3); void (");
    const { status, stdout } = run(
      makeTree({ ...PACKAGE, "clients/a.test.ts": text, "tools/b.test.ts": PASSING }),
      [],
      true,
    );
    assert.equal(status, 0, stdout);
    assert.match(stdout, /⚠ unstable/);
  });
});

describe("groupTests", () => {
  const DATABASE = 'import { createTestDatabase } from "../support/database.ts";\n';

  it("puts the files of one folder together, in parts of nearly one size", () => {
    const names = Array.from({ length: 25 }, (_, index) => `server/test/a/${String(index).padStart(2, "0")}.test.ts`);
    const root = makeTree(Object.fromEntries([...names, "server/test/b/x.test.ts"].map((name) => [name, DATABASE])));
    const groups = groupTests(root, [...names, "server/test/b/x.test.ts"]).map(({ files }) => files);
    assert.deepEqual(groups, [["server/test/b/x.test.ts"], names.slice(0, 13), names.slice(13)]);
  });

  it("puts the folders of one module together, and all extensions", () => {
    const names = ["extensions/a/test/x", "extensions/b/test/x", "server/test/a/b/x", "server/test/a/c/x"];
    const files = names.map((name) => `${name}.test.ts`);
    const root = makeTree(Object.fromEntries(files.map((name) => [name, DATABASE])));
    const groups = groupTests(root, files).map((group) => group.files);
    assert.deepEqual(groups, [files.slice(0, 2), files.slice(2)]);
  });

  it("puts small parts of a folder together", () => {
    const names = [
      ...["1", "2", "3", "4", "5"].map((word) => `server/test/large/${word}`),
      "server/test/a/x",
      "server/test/b/x",
      "tools/test/x",
    ];
    const files = names.map((name) => `${name}.test.ts`);
    const root = makeTree(Object.fromEntries(files.map((name) => [name, DATABASE])));
    const groups = groupTests(root, files).map((group) => group.files);
    assert.deepEqual(groups, [files.slice(7), files.slice(0, 5), files.slice(5, 7)]);
  });

  it("puts at most four files together that start programs, and no others with them", () => {
    const programs = Array.from({ length: 5 }, (_, index) => `a/spawns-${index}.test.ts`);
    const texts: Record<string, string> = { "a/tame.test.ts": DATABASE };
    for (const name of programs) texts[name] = 'import { spawn } from "node:child_process";\n';
    const groups = groupTests(makeTree(texts), Object.keys(texts)).map(({ files }) => files);
    assert.deepEqual(groups, [programs.slice(0, 3), programs.slice(3), ["a/tame.test.ts"]]);
  });

  it("leaves alone what changes what a process has one of", () => {
    const texts = {
      "a/clock.test.ts": "mock.timers.enable();\n",
      "a/environment.test.ts": 'process.env["X"] = "1";\n',
      "a/tame.test.ts": DATABASE,
      "a/reads.test.ts": 'const x = process.env["X"];\n',
    };
    const groups = groupTests(makeTree(texts), Object.keys(texts)).map(({ files }) => files);
    assert.deepEqual(groups.at(-1), ["a/tame.test.ts", "a/reads.test.ts"]);
    assert.equal(groups.length, 3);
  });

  it("puts acceptance tests of shared services together and first, unless they start a service of their own", () => {
    const texts = {
      "acceptance/one.test.ts": 'import { startService } from "./support/service.ts";\n',
      "acceptance/own.test.ts": 'import { startOwnService } from "./support/service.ts";\n',
      "acceptance/two.test.ts": 'import { startService } from "./support/service.ts";\n',
      "a/alone.test.ts": "mock.timers.enable(); // longer than the others, and yet later\n".repeat(3),
    };
    const groups = groupTests(makeTree(texts), Object.keys(texts)).map(({ files }) => files);
    assert.deepEqual(groups, [
      ["acceptance/one.test.ts", "acceptance/two.test.ts"],
      ["acceptance/own.test.ts"],
      ["a/alone.test.ts"],
    ]);
  });

  it("ends a shared service with the last group that uses it", () => {
    const runFolder = makeTree({});
    const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "ignore" });
    writeFileSync(join(runFolder, "service.pid"), String(child.pid));
    const sees = `
      import { spawnSync } from "node:child_process";
      import { test } from "node:test";
      test("a", () => { process.kill(${child.pid}, 0); });
      const startOwnService = null;`;
    const root = makeTree({
      "package.json": '{"type":"module"}',
      "acceptance/a.test.ts": sees,
      "acceptance/b.test.ts": sees,
    });
    const ended = once(child, "exit");
    const { status, stdout } = run(root, ["--test-concurrency=1"], false, { SWARMBASE_TEST_RUN: runFolder });
    assert.equal(status, 0, stdout);
    return ended.then(() =>
      assert.deepEqual(readdirSync(runFolder).toSorted(), ["mailing.left", "service.left", "service.pid.ended"]),
    );
  });

  it("starts the files that use a browser first, then single files, then groups, each the largest first", () => {
    const browser = 'import { createBrowserTest } from "./support/browser-test.ts";\n';
    const texts = {
      "a/one.test.ts": DATABASE,
      "a/two.test.ts": DATABASE,
      "b/alone.test.ts": "mock.timers.enable();\n",
      "b/larger.test.ts": "mock.timers.enable();\nmock.timers.reset();\n",
      "d/one.test.ts": DATABASE,
      "d/two.test.ts": `${DATABASE}${DATABASE}`,
    };
    const root = makeTree({ ...texts, "c/page.test.ts": browser, "c/pages.test.ts": browser });
    const groups = groupTests(root, [...Object.keys(texts), "c/page.test.ts", "c/pages.test.ts"]);
    assert.deepEqual(
      groups.map(({ files }) => files),
      [
        ["c/page.test.ts", "c/pages.test.ts"],
        ["b/larger.test.ts"],
        ["b/alone.test.ts"],
        ["d/one.test.ts", "d/two.test.ts"],
        ["a/one.test.ts", "a/two.test.ts"],
      ],
    );
  });

  it("recognises the browser tests of this project", () => {
    const root = resolve(import.meta.dirname, "../..");
    const { files } = planTestRun(root, ["console", "tools"]) ?? { files: [] };
    const groups = groupTests(root, files).map((group) => group.files);
    const at = groups.findIndex((group) => group.includes("console/test/account.test.ts"));
    assert.ok((groups[at]?.length ?? 0) > 1, "it shares a process");
    const earlier = groups.slice(0, at).flat();
    assert.deepEqual(
      earlier.filter((file) => !file.startsWith("console/")),
      [],
    );
  });

  it("keeps the hooks of each file to itself, and fails for the one that fails", () => {
    const hooked = (name: string): string => `
      import { after, before, beforeEach, test } from "node:test";
      before(() => console.log("<before ${name}>"));
      beforeEach(() => console.log("<each ${name}>"));
      after(() => console.log("<after ${name}>"));
      test("${name}", () => console.log("<test ${name}>"));`;
    const root = makeTree({
      "package.json": '{"type":"module"}',
      "clients/a.test.ts": hooked("a"),
      "clients/b.test.ts": hooked("b"),
      "clients/c.test.ts": FAILING,
    });
    const { status, stdout } = run(root, []);
    assert.equal(status, 1);
    const seen = [...stdout.matchAll(/^<(.*)>$/gm)].map(([, words]) => words);
    const expected = ["a", "b"].flatMap((name) => ["before", "each", "test", "after"].map((hook) => `${hook} ${name}`));
    assert.deepEqual(seen, expected);
    assert.match(stdout, /ℹ pass 2\nℹ fail 1\n/);
    assert.match(stdout, /✖ clients\/c\.test\.ts/);
  });

  it("fails for a file that cannot be loaded", () => {
    const broken = 'import "./nowhere.ts";\n';
    const root = makeTree({
      "package.json": '{"type":"module"}',
      "clients/a.test.ts": PASSING,
      "clients/b.test.ts": broken,
    });
    const { status, stdout } = run(root, []);
    assert.equal(status, 1);
    assert.match(stdout, /nowhere\.ts/);
    assert.match(stdout, /ℹ pass 1\n/);
  });
});

describe("makeMemoryFolder", () => {
  it("is null where there is no memory to have", () => {
    assert.equal(makeMemoryFolder(join(makeTree({}), "nowhere")), null);
    // A file system of the kernel's own.
    assert.equal(makeMemoryFolder("/proc"), null);
  });

  it("makes a folder of its own where there is", (t) => {
    const folder = makeMemoryFolder();
    if (folder === null) return t.skip("no memory file system with enough space");
    folders.push(folder);
    assert.deepEqual(readdirSync(folder), []);
  });
});
