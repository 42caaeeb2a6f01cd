import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { test } from "node:test";

const PROGRAM = fileURLToPath(new URL("quiet-process.ts", import.meta.url));

// Of its own: tests that share this process may leave it neither quiet nor small.
test("a process that has become quiet returns the memory of its garbage", async (t) => {
  const child = spawn(process.execPath, ["-C", "swarmbase-source", PROGRAM], {
    stdio: ["ignore", "inherit", "inherit"],
    signal: t.signal,
  });
  assert.deepEqual(await once(child, "exit"), [0, null]);
});
