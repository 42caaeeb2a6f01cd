import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { pathToFileURL } from "node:url";
import { makeMemoryFolder } from "../memory-folder.ts";
import { removeFolder } from "../remove-folder.ts";
import { ACCOUNT_SIGNS } from "../variants/ordinary-account.ts";
import { STOCK_FILES } from "../variants/stock-settings.ts";

const repository = join(import.meta.dirname, "../..");
const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;

/** A repository with one test file and our runner, usable by an ordinary account. */
function makeRepository(t: TestContext, testFile: string): string {
  const root = mkdtempSync(join(tmpdir(), "swarmbase-variants-"));
  t.after(() => assert.deepEqual(removeFolder(root), []));
  for (const path of globSync(["tools/*.ts", "tools/variants/*.ts", "tools/package.json"], { cwd: repository }))
    cpSync(join(repository, path), join(root, path));
  mkdirSync(join(root, "clients"));
  writeFileSync(join(root, "clients/a.test.ts"), testFile);
  for (const path of [root, ...globSync("**", { cwd: root }).map((path) => join(root, path))]) {
    if (isRoot) chownSync(path, NOBODY, NOBODY);
  }
  chmodSync(root, 0o755);
  return root;
}

/** Without the environment variables of the outer test run. */
function runTests(root: string, account: { uid?: number; gid?: number } = {}, folder = "clients") {
  const { NODE_TEST_CONTEXT: _, TMPDIR: __, ...others } = process.env;
  const env = Object.fromEntries(Object.entries(others).filter(([name]) => !name.startsWith("SWARMBASE_TEST")));
  const args = [join(root, "tools/run-tests.ts"), folder];
  return spawnSync(process.execPath, args, { cwd: root, encoding: "utf8", env, ...account });
}

const LEAVES_READ_ONLY_FOLDER = `
  import { chmodSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
  import { tmpdir } from "node:os";
  import { join } from "node:path";
  import { test } from "node:test";
  test("leaves a read-only folder", () => {
    const folder = mkdtempSync(join(tmpdir(), "left-"));
    writeFileSync(join(folder, "file"), "");
    mkdirSync(join(folder, "closed"), { mode: 0o000 });
    chmodSync(folder, 0o555);
    console.log("<" + tmpdir() + ">");
  });`;

describe("a test run of an ordinary account", () => {
  it("ends with the result of its tests and leaves no temporary folder behind", (t) => {
    const place = makeMemoryFolder();
    if (place === null) return t.skip("no memory file system with enough space");
    removeFolder(place);
    const root = makeRepository(t, LEAVES_READ_ONLY_FOLDER);
    const { status, stdout, stderr } = runTests(root, isRoot ? { uid: NOBODY, gid: NOBODY } : {});
    assert.equal(status, 0, stdout + stderr);
    assert.equal(stderr, "");
    const [, folder = ""] = /<(.+)>/.exec(stdout) ?? [];
    assert.match(folder, /swarmbase-tests-/);
    assert.equal(existsSync(folder), false);
  });
});

describe("the run as an ordinary account", () => {
  const PRINTS_ACCOUNT =
    'import { test } from "node:test";\ntest("x", () => console.log(`<${process.getuid?.()}>`));\n';

  it("follows the run as root, for test files that depend on the account", { skip: !isRoot && "needs root" }, (t) => {
    const { status, stdout, stderr } = runTests(makeRepository(t, PRINTS_ACCOUNT));
    assert.equal(status, 0, stdout + stderr);
    assert.deepEqual(stdout.match(/<\d+>/g)?.toSorted(), ["<0>", `<${NOBODY}>`]);
    assert.match(stdout, /✔ clients\/a\.test\.ts as nobody/);
  });

  it("is skipped with a reason if the account cannot read the files", { skip: !isRoot && "needs root" }, (t) => {
    const root = makeRepository(t, PRINTS_ACCOUNT);
    chownSync(root, 0, 0);
    chmodSync(root, 0o700);
    const { status, stdout } = runTests(root);
    assert.equal(status, 0, stdout);
    assert.deepEqual(stdout.match(/<\d+>/g), ["<0>"]);
    assert.match(stdout, /﹣ skipped \(nobody cannot run this: EACCES.*\):\n {4}clients\/a\.test\.ts as nobody\n/);
  });

  it("is not done by an ordinary account", { skip: isRoot && "needs an ordinary account" }, (t) => {
    const { status, stdout, stderr } = runTests(makeRepository(t, PRINTS_ACCOUNT));
    assert.equal(status, 0, stdout + stderr);
    assert.deepEqual(stdout.match(/<\d+>/g), [`<${process.getuid?.()}>`]);
  });

  it("detects every test support export that depends on the account", () => {
    const modules = globSync("{clients,server,console,acceptance,tools}/**/*.ts", {
      cwd: repository,
      exclude: (path) => path.includes("node_modules"),
    }).filter((path) => /\btest\/|^acceptance\//.test(path) && !path.endsWith(".test.ts"));
    assert.ok(modules.length > 50);
    const asking = modules.filter((path) => /\bgete?uid\b/.test(readFileSync(join(repository, path), "utf8")));
    assert.ok(asking.length > 0);
    for (const path of asking) {
      const text = readFileSync(join(repository, path), "utf8");
      // Each exported function that reads the account must match the pattern.
      const parts = text
        .split(/^(?=(?:export )?(?:async )?(?:function|const|class) )/m)
        .filter((part) => /gete?uid/.test(part));
      for (const part of parts) {
        const [, name = ""] = /^export (?:async )?(?:function|const) (\w+)/.exec(part) ?? [];
        assert.match(
          name,
          ACCOUNT_SIGNS,
          `${path}: test files that use this are not run as an ordinary account:\n${part}`,
        );
      }
    }
  });
});

describe("the run with stock settings", () => {
  it("lists only existing test files", () => {
    for (const file of STOCK_FILES) assert.ok(existsSync(join(repository, file)), file);
  });

  it("passes the cluster of the global set-up to test files, and is skipped with a reason if there is none", (t) => {
    const PRINTS_CLUSTER =
      'import { test } from "node:test";\ntest("x", () => console.log(`<${process.env.SWARMBASE_TEST_CLUSTER}>`));\n';
    const root = makeRepository(t, "");
    const [file = ""] = STOCK_FILES;
    mkdirSync(join(root, file, ".."), { recursive: true });
    writeFileSync(join(root, file), PRINTS_CLUSTER);
    const run = (setUp: string) => {
      mkdirSync(join(root, "server/test/support"), { recursive: true });
      writeFileSync(join(root, "server/test/support/global-setup.ts"), setUp);
      return runTests(root, {}, "server");
    };
    const without = run('export const globalSetup = (): void => { process.env.SWARMBASE_TEST_CLUSTER = "ours"; };');
    assert.equal(without.status, 0, without.stdout + without.stderr);
    assert.deepEqual(without.stdout.match(/<\w+>/g), ["<ours>"]);
    assert.match(without.stdout, /﹣ skipped \(.*started no cluster with stock settings\):\n.* with stock settings\n/);
    const both = run(`export const globalSetup = (): void => {
      process.env.SWARMBASE_TEST_CLUSTER = "ours";
      if (process.env.SWARMBASE_TEST_STOCK === "true") process.env.SWARMBASE_TEST_STOCK_CLUSTER = "stock";
    };`);
    assert.deepEqual(both.stdout.match(/<\w+>/g)?.toSorted(), ["<ours>", "<stock>"]);
  });
});

describe("removeFolder", () => {
  it("removes what the account can remove and returns what remains", { skip: !isRoot && "needs root" }, (t) => {
    const root = makeRepository(t, "");
    mkdirSync(join(root, "foreign/inner"), { recursive: true });
    mkdirSync(join(root, "own/closed"), { recursive: true });
    for (const name of ["own", "own/closed"]) chownSync(join(root, name), NOBODY, NOBODY);
    chmodSync(join(root, "own"), 0o500);
    const module = pathToFileURL(join(root, "tools/remove-folder.ts")).href;
    const script = `import { removeFolder } from "${module}"; console.log(JSON.stringify(removeFolder("${root}")));`;
    const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "--eval", script], {
      encoding: "utf8",
      uid: NOBODY,
      gid: NOBODY,
    });
    assert.match(stdout, /^\["EPERM[^"]*foreign'"\]\n$/, stderr);
    assert.deepEqual(readdirSync(root), ["foreign"]);
  });
});
