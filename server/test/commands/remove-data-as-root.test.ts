import assert from "node:assert/strict";
import { chmod, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { test } from "node:test";
import { makeDataDir, runProgram } from "../app/program.ts";
import { runHere } from "../support/run-here.ts";

test("as root below a closed folder the start says where the database is, and remove-data removes it there", {
  skip: process.getuid?.() === 0 ? false : "needs root",
}, async (t) => {
  const dataDir = await makeDataDir(t);
  await chmod(dirname(dataDir), 0o700);
  const service = runProgram(t, ["serve"], { env: { DATA_DIR: dataDir } });
  const { databaseDir } = await service.waitFor("service.started");
  assert.match(String(databaseDir), /^\/var\/lib\/swarmbase\/[0-9a-f]{16}(-\d+)?\/cluster$/);
  const home = dirname(String(databaseDir));
  t.after(() => rm(home, { recursive: true, force: true }));
  await service.stop();
  assert.ok((await runHere(["remove-data"], { DATA_DIR: dataDir })).stdout.includes(`  ${home}\n`));
  const removed = await runHere(["remove-data", "--yes"], { DATA_DIR: dataDir });
  assert.equal(removed.stdout, `Removed ${dataDir} and its database.\n`);
  for (const path of [home, dataDir]) await assert.rejects(stat(path), { code: "ENOENT" });
});
