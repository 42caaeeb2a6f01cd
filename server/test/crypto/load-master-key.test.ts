import assert from "node:assert/strict";
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { loadMasterKey, prepareSecretDir, SecretDirError, replaceFile } from "../../src/crypto/index.ts";

async function makeDir(t: TestContext): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), "swarmbase-key-"));
  t.after(() => rm(dir, { recursive: true, force: true }));
  return dir;
}

test("the first start creates a key that only its owner can read, and later starts use it", async (t) => {
  const dataDir = await makeDir(t);
  const made = await loadMasterKey({ dataDir, given: null, mayCreate: true });
  assert.equal(Buffer.from(made, "base64url").length, 32);
  assert.equal((await stat(join(dataDir, "master.key"))).mode & 0o777, 0o600);
  assert.equal(await loadMasterKey({ dataDir, given: null, mayCreate: false }), made);
  assert.deepEqual(await readdir(dataDir), ["master.key"]);
});

test("twenty concurrent starts use one key", async (t) => {
  const dataDir = await makeDir(t);
  const keys = await Promise.all(
    Array.from({ length: 20 }, () => loadMasterKey({ dataDir, given: null, mayCreate: true })),
  );
  assert.equal(new Set(keys).size, 1);
  assert.deepEqual(await readdir(dataDir), ["master.key"]);
});

test("MASTER_KEY takes precedence, is not stored, and must equal the key in the file", async (t) => {
  const dataDir = await makeDir(t);
  assert.equal(
    await loadMasterKey({ dataDir, given: "from the environment", mayCreate: true }),
    "from the environment",
  );
  assert.deepEqual(await readdir(dataDir), []);
  const made = await loadMasterKey({ dataDir, given: null, mayCreate: true });
  assert.equal(await loadMasterKey({ dataDir, given: made, mayCreate: true }), made);
  await assert.rejects(loadMasterKey({ dataDir, given: "another", mayCreate: true }), (error: Error) => {
    assert.match(error.message, /MASTER_KEY is not the key this data directory was made with/);
    assert.ok(!error.message.includes(made) && !error.message.includes("another one's value"));
    return true;
  });
});

test("with an existing database, a missing or empty key file is reported, not replaced", async (t) => {
  const dataDir = await makeDir(t);
  await assert.rejects(loadMasterKey({ dataDir, given: null, mayCreate: false }), /master\.key is missing/);
  await writeFile(join(dataDir, "master.key"), "\n");
  await assert.rejects(loadMasterKey({ dataDir, given: null, mayCreate: true }), /master\.key is empty/);
});

test("a secret file is replaced atomically, with its mode", async (t) => {
  const dir = await makeDir(t);
  const path = join(dir, "credentials.json");
  await writeFile(path, "old");
  await chmod(path, 0o644);
  await replaceFile(path, "new");
  assert.equal(await readFile(path, "utf8"), "new");
  assert.equal((await stat(path)).mode & 0o777, 0o600);
  assert.deepEqual(await readdir(dir), ["credentials.json"]);
});

test("a new data directory is for its owner only; an existing one keeps its mode", async (t) => {
  const dir = await makeDir(t);
  await prepareSecretDir(join(dir, "a", "b"), { mayPassThrough: false });
  assert.equal((await stat(join(dir, "a", "b"))).mode & 0o777, 0o700);
  await mkdir(join(dir, "open"), { mode: 0o755 });
  await chmod(join(dir, "open"), 0o755);
  await prepareSecretDir(join(dir, "open"), { mayPassThrough: false });
  assert.equal((await stat(join(dir, "open"))).mode & 0o777, 0o755);
});

test("a file in the way is explained", async (t) => {
  const dir = await makeDir(t);
  await writeFile(join(dir, "file"), "");
  for (const path of [join(dir, "file"), join(dir, "file", "below")]) {
    await assert.rejects(prepareSecretDir(path, { mayPassThrough: false }), (error: unknown) => {
      assert.ok(error instanceof SecretDirError);
      assert.match(error.message, /is a file/);
      assert.ok(error.message.includes(path));
      return true;
    });
  }
});
