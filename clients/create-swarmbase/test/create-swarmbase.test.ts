import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import { after, before, describe, it } from "node:test";
import { createTemporaryFolder } from "../../../server/test/support/temporary-folder.ts";
import { run } from "../src/index.ts";

// `npm run check` checks the types of the template. app.test.ts uses it in a browser, and a long test of tools installs it.

const own = resolve(import.meta.dirname, "..");

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly allowScripts: Readonly<Record<string, boolean>>;
}

async function readManifest(folder: string): Promise<Manifest> {
  return JSON.parse(await readFile(join(folder, "package.json"), "utf8")) as Manifest;
}

async function listFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .toSorted();
}

describe("create-swarmbase", () => {
  let folder = "";
  let version = "";
  const closers: (() => Promise<unknown>)[] = [];
  before(async () => {
    folder = await createTemporaryFolder({ after: (close) => closers.push(close) }, "create-swarmbase-");
    ({ version } = await readManifest(own));
  });
  after(async () => {
    for (const close of closers) await close();
  });

  /** Folders in which the packages were to be installed. */
  const installed: string[] = [];
  let canInstall = true;
  /** Apps that were started; null means that nobody answers the question. */
  let started: string[] | null = null;

  async function create(...args: string[]): Promise<{ code: number; output: string; errors: string }> {
    let output = "";
    let errors = "";
    const terminal = {
      folder,
      installCommand: "npm install",
      write: (text: string) => void (output += text),
      writeError: (text: string) => void (errors += text),
      install: async (app: string) => {
        installed.push(app);
        return canInstall;
      },
      ask: async (question: string) => {
        output += question;
        return started !== null;
      },
      start: async (app: string) => {
        started?.push(app);
        return 3;
      },
    };
    return { code: await run(args, terminal), output, errors };
  }

  it("creates every file of the template, with the name and exact versions, and prints the next steps", async () => {
    const { code, output, errors } = await create("apps/my-app");
    assert.deepEqual([code, errors], [0, ""]);
    assert.equal(
      output,
      "Created my-app. Next:\n\n  cd apps/my-app\n  npm run dev\n\nThen open http://localhost:5173\n" +
        "The address of the console is printed then; npm run trust makes browsers accept its certificate.\n" +
        "\nStart it now? [Y/n] ",
    );
    const app = join(folder, "apps/my-app");
    assert.deepEqual(installed, [app]);
    const template = await listFiles(join(own, "template"));
    const expected = template.map((path) => (path === "gitignore" ? ".gitignore" : path)).toSorted();
    assert.deepEqual(await listFiles(app), expected);
    assert.match(await readFile(join(app, ".gitignore"), "utf8"), /^\.swarmbase\/$/m);
    const { name, dependencies, devDependencies } = await readManifest(app);
    assert.equal(name, "my-app");
    for (const [dependency, range] of Object.entries({ ...dependencies, ...devDependencies }))
      assert.match(range, /^\d+\.\d+\.\d+$/, dependency);
    for (const dependency of ["swarmbase", "@swarmbase/sdk", "@swarmbase/react"])
      assert.equal(dependencies[dependency], version);
  });

  it("starts the app when asked to, unless its packages are not installed", async (t) => {
    t.after(() => {
      canInstall = true;
      started = null;
    });
    started = [];
    assert.equal((await create("at-once")).code, 3);
    canInstall = false;
    assert.doesNotMatch((await create("not-at-once")).output, /Start it now/);
    assert.deepEqual(started, [join(folder, "at-once")]);
  });

  it("leaves npm install to the user where it failed or is not wanted", async (t) => {
    t.after(() => (canInstall = true));
    canInstall = false;
    assert.match((await create("offline")).output, /\n {2}cd offline\n {2}npm install\n {2}npm run dev\n/);
    canInstall = true;
    const before = installed.length;
    assert.match((await create("--no-install", "later")).output, /\n {2}cd later\n {2}npm install\n {2}npm run dev\n/);
    assert.equal(installed.length, before);
  });

  it("uses the versions that the repository tests, except of supabase-js, whose newer ones need a newer Node.js", async () => {
    const { dependencies, devDependencies } = await readManifest(join(own, "template"));
    for (const [name, wanted] of Object.entries({ ...dependencies, ...devDependencies })) {
      if (wanted === "*" || name === "@supabase/supabase-js") continue;
      const installed = await readManifest(resolve(own, "../../node_modules", name));
      assert.equal(wanted, installed.version, name);
    }
  });

  it("decides about install scripts as the repository does, so that npm does not ask", async () => {
    const { allowScripts } = await readManifest(join(own, "template"));
    assert.deepEqual(allowScripts, (await readManifest(resolve(own, "../.."))).allowScripts);
  });

  it("refuses a folder that is not empty, and changes nothing", async () => {
    await mkdir(join(folder, "full"));
    await writeFile(join(folder, "full/notes.txt"), "mine");
    const { code, errors } = await create("full");
    assert.equal(code, 1);
    assert.match(errors, /full is not empty/);
    assert.deepEqual(await listFiles(join(folder, "full")), ["notes.txt"]);
    await writeFile(join(folder, "file"), "");
    assert.match((await create("file")).errors, /file is a file/);
  });

  it("says why a folder cannot be written", async () => {
    await symlink(join(folder, "nowhere/app"), join(folder, "dangling"));
    for (const [target, reason] of [
      [join("x".repeat(300), "app"), /app cannot be written: ENAMETOOLONG/],
      ["dangling", /dangling cannot be written: [A-Z]+: /],
    ] as const) {
      const { code, errors } = await create(target);
      assert.equal(code, 1);
      assert.match(errors, reason);
      assert.doesNotMatch(errors, /\n {4}at /);
    }
  });

  it("accepts an empty folder, and one that only has a repository", async () => {
    await mkdir(join(folder, "cloned/.git"), { recursive: true });
    assert.equal((await create("cloned")).code, 0);
    await mkdir(join(folder, "empty"));
    const { output } = await create(join(folder, "empty"));
    assert.match(output, /cd empty/);
  });

  for (const [target, expected] of [
    ["Meine Übungs-App", "meine-ubungs-app"],
    ["a&b's (new)", "a-b-s-new"],
    [".app", "app"],
    ["_2.0_x", "2.0_x"],
    ["日本語", "app"],
    ["a".repeat(220), "a".repeat(214)],
  ] as const)
    it(`derives the name ${expected.slice(0, 20)} from that of the folder`, async () => {
      const { code, output } = await create(target);
      assert.equal(code, 0);
      assert.equal((await readManifest(join(folder, target))).name, expected);
      assert.ok(output.startsWith(`Created ${expected}. Next:\n`), output);
    });

  it("prints a command that a shell understands for every folder", {
    skip: process.platform === "win32" && "there is no sh",
  }, async () => {
    const target = 'it\'s "$HOME" & `more`';
    const [, command = ""] = /^ {2}(cd .*)$/m.exec((await create(target)).output) ?? [];
    const shown = execFileSync("sh", ["-c", `${command} && pwd`], { cwd: folder, encoding: "utf8" });
    assert.equal(shown.trimEnd(), join(folder, target));
  });

  for (const name of ["node_modules", "swarmbase"])
    it(`refuses the name ${name}`, async () => {
      const { code, errors } = await create(name);
      assert.equal(code, 1);
      assert.match(errors, /cannot be the name of an app/);
      assert.equal(existsSync(join(folder, name)), false);
    });

  it("prints help and version, and explains wrong options", async () => {
    const help = await create("--help");
    assert.deepEqual([help.code, help.errors], [0, ""]);
    assert.match(help.output, /^Usage: npm create swarmbase <folder>/);
    assert.deepEqual(await create("--version"), { code: 0, output: `${version}\n`, errors: "" });
    for (const args of [[], ["one", "two"], ["--unknown", "app"]]) {
      const { code, errors } = await create(...args);
      assert.equal(code, 2);
      assert.match(errors, /Usage:/);
    }
  });
});
