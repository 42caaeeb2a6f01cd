import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, normalize } from "node:path";
import { after, describe, it } from "node:test";
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

function run(root: string, args: readonly string[]) {
  // Without this variable the inner runner would take itself for a part of the outer one and run nothing.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  return spawnSync(process.execPath, args, { cwd: root, encoding: "utf8", env });
}

const PASSING = 'import { test } from "node:test";\ntest("passes", () => {});\n';
const FAILING = 'import { test } from "node:test";\ntest("fails", () => { throw new Error("no"); });\n';

describe("planTestRun", () => {
  it("finds the tests of all workspaces, and none of what is installed", () => {
    const root = makeTree({
      "sdk/test/a.test.ts": "",
      "server/test/http/b.test.ts": "",
      "acceptance/4.1-agents.test.ts": "",
      "tools/test/c.test.ts": "",
      "server/node_modules/x/d.test.ts": "",
      "server/src/e.ts": "",
    });
    const files = planTestRun(root, [])?.filter((arg) => arg.endsWith(".test.ts"));
    const expected = [
      "acceptance/4.1-agents.test.ts",
      "sdk/test/a.test.ts",
      "server/test/http/b.test.ts",
      "tools/test/c.test.ts",
    ];
    assert.deepEqual(files, expected.map(normalize));
  });

  it("takes patterns instead of everything and passes options on", () => {
    const root = makeTree({ "sdk/test/a.test.ts": "", "tools/test/b.test.ts": "" });
    const args = planTestRun(root, ["tools/**/*.test.ts", "--test-name-pattern=x"]);
    assert.ok(args?.includes("--test-name-pattern=x"));
    assert.equal(args?.filter((arg) => arg.endsWith(".test.ts")).length, 1);
  });

  it("plans nothing where there is no test", () => {
    const root = makeTree({ "server/src/a.ts": "" });
    assert.equal(planTestRun(root, []), null);
    assert.equal(planTestRun(root, ["server/**/*.test.ts"]), null);
  });

  it("makes a run that prints its totals and fails when a test fails", () => {
    const root = makeTree({
      "package.json": '{"type":"module"}',
      "sdk/a.test.ts": PASSING,
      "tools/b.test.ts": FAILING,
    });
    const good = run(root, planTestRun(root, ["sdk/a.test.ts"]) ?? []);
    assert.equal(good.status, 0, good.stdout);
    assert.match(good.stdout, /ℹ tests 1\n[\s\S]*ℹ pass 1\n/);
    const bad = run(root, planTestRun(root, []) ?? []);
    assert.equal(bad.status, 1);
    assert.match(bad.stdout, /ℹ tests 2\n[\s\S]*ℹ pass 1\nℹ fail 1\n/);
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
    const { status, stdout } = run(root, planTestRun(root, []) ?? []);
    assert.equal(status, 0, stdout);
    assert.match(stdout, /ℹ pass 2\n/);
    assert.equal(stdout.match(/taken down/g)?.length, 1);
  });
});
