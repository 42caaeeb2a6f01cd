import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { buildOnce } from "../build/build-once.ts";

async function createRoot(t: TestContext): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), "swarmbase-build-"));
  t.after(() => rm(root, { recursive: true, force: true }));
  await mkdir(join(root, "src"));
  await writeFile(join(root, "src/main.tsx"), "first");
  return root;
}

function createBuilder(root: string) {
  let builds = 0;
  const make = async (_root: string, outDir: string): Promise<void> => {
    builds += 1;
    await writeFile(join(outDir, "index.html"), await readFile(join(root, "src/main.tsx")));
  };
  return { run: () => buildOnce({ root, write: () => {}, make }), count: () => builds };
}

test("the console build runs only when the sources have changed", async (t) => {
  const root = await createRoot(t);
  const builder = createBuilder(root);
  const first = await builder.run();
  assert.equal(await builder.run(), first);
  assert.equal(builder.count(), 1);
  await writeFile(join(root, "src/main.tsx"), "second");
  const second = await builder.run();
  assert.notEqual(second, first);
  assert.equal(await readFile(join(second, "index.html"), "utf8"), "second");
  await writeFile(join(root, "src/main.tsx"), "first");
  assert.equal(await builder.run(), first);
  assert.equal(builder.count(), 2);
});

test("two concurrent builds of the console build once and return the same folder", async (t) => {
  const root = await createRoot(t);
  const builder = createBuilder(root);
  const folders = await Promise.all([builder.run(), builder.run(), builder.run()]);
  assert.equal(new Set(folders).size, 1);
  assert.equal(builder.count(), 1);
  assert.deepEqual(
    (await readdir(join(root, "dist"))).filter((name) => !/^[0-9a-f]+$/.test(name)),
    [],
  );
});

test("a failed build of the console leaves no files, and the next build succeeds", async (t) => {
  const root = await createRoot(t);
  const fail = async (): Promise<void> => {
    throw new Error("no");
  };
  await assert.rejects(buildOnce({ root, write: () => {}, make: fail }), /no/);
  assert.deepEqual(await readdir(join(root, "dist")), []);
  assert.ok(existsSync(await createBuilder(root).run()));
});

test("the console build ignores the lock of a dead process", async (t) => {
  const root = await createRoot(t);
  const builder = createBuilder(root);
  const folder = await builder.run();
  await rm(folder, { recursive: true });
  // Beyond the maximum process id of Linux and macOS.
  await writeFile(`${folder}.lock`, "99999999");
  assert.equal(await builder.run(), folder);
});

const SKIP_AS_ROOT = process.getuid?.() === 0 && "root can write to every folder";

test("the console build fails at once when its folder is not writable", { skip: SKIP_AS_ROOT }, async (t) => {
  const root = await createRoot(t);
  await chmod(root, 0o555);
  try {
    await assert.rejects(createBuilder(root).run(), /EACCES/);
  } finally {
    await chmod(root, 0o755);
  }
});
