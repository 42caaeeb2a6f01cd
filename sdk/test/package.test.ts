import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);
const sdk = resolve(import.meta.dirname, "..");

test("the published form runs as plain JavaScript, knowing nothing of the sources or of Node's types", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "swarmbase-sdk-"));
  t.after(() => rm(folder, { recursive: true }));
  const compiler = resolve(sdk, "../node_modules/typescript/bin/tsc");
  await run(process.execPath, [compiler, "-p", join(sdk, "tsconfig.build.json"), "--outDir", join(folder, "dist")]);
  await writeFile(join(folder, "package.json"), '{"type":"module"}');
  await writeFile(
    join(folder, "use.mjs"),
    `import { ERROR_CODES, verifyWebhook } from ${JSON.stringify(pathToFileURL(join(folder, "dist/index.js")))};
     const reason = await verifyWebhook("{}", {}, "s").catch((error) => error.reason);
     console.log(ERROR_CODES.UNAUTHORIZED.status, reason);`,
  );
  const { stdout } = await run(process.execPath, [join(folder, "use.mjs")]);
  assert.equal(stdout.trim(), "401 timestamp_missing");
});
