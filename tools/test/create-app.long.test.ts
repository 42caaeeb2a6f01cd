import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { SEVERAL_STARTS } from "../../server/test/support/wait-limit.ts";
import { createTemporaryFolder } from "../../server/test/support/temporary-folder.ts";

// `npm run create-app` of a clone. create-swarmbase.long.test.ts starts what `npm create swarmbase` makes, and uses it.

const ROOT = resolve(import.meta.dirname, "../..");

test("a clone creates an app from its own packages, and installs it again", SEVERAL_STARTS, async (t) => {
  const closers: (() => Promise<void>)[] = [];
  t.after(async () => {
    for (const close of closers) await close();
  });
  const folder = await createTemporaryFolder({ after: (close) => closers.push(close) }, "swarmbase-clone-");
  const app = join(folder, "my-app");
  const createApp = (...args: readonly string[]) =>
    // npm tells the command the folder in which somebody types it.
    promisify(execFile)("npm", ["--prefix", ROOT, "run", "create-app", "--", ...args], {
      cwd: folder,
      env: { ...process.env, npm_config_cache: join(folder, "npm-cache") },
      maxBuffer: 64 * 1024 ** 2,
    });
  const versionOf = async (path: string): Promise<unknown> =>
    (JSON.parse(await readFile(path, "utf8")) as { readonly version: string }).version;

  const { stdout } = await createApp("my-app");
  assert.match(stdout, /Created my-app\. Next:\n\n {2}cd my-app\n {2}npm run dev\n/);
  const installed = join(app, "node_modules/swarmbase/package.json");
  assert.equal(await versionOf(installed), await versionOf(join(ROOT, "server/package.json")));

  // A folder that is not empty is reported before anything is built.
  await assert.rejects(createApp("my-app"), ({ stdout: built, stderr }: { stdout: string; stderr: string }) => {
    assert.match(stderr, /my-app is not empty/);
    assert.doesNotMatch(built, /swarmbase \d+\.\d+/);
    return true;
  });

  const later = await createApp("--no-install", "later");
  assert.match(later.stdout, /\n {2}cd later\n {2}npm --prefix \S+ run create-app -- --install \.\n {2}npm run dev\n/);

  // What somebody else has who gets the app without its packages, after the sources have changed.
  const lock = join(app, "package-lock.json");
  const text = await readFile(lock, "utf8");
  assert.doesNotMatch(text, /127\.0\.0\.1|localhost/);
  const changed = JSON.parse(text) as { packages: Record<string, { integrity?: string }> };
  const own = changed.packages["node_modules/swarmbase"];
  assert.ok(own?.integrity !== undefined);
  own.integrity = `sha512-${Buffer.alloc(64).toString("base64")}`;
  await writeFile(lock, JSON.stringify(changed));
  await rm(join(app, "node_modules"), { recursive: true });
  await createApp("--install", "my-app");
  assert.ok(existsSync(installed));
  await promisify(execFile)("npm", ["run", "check"], { cwd: app });
});
