import { execFile } from "node:child_process";
import { mkdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";
import { WAIT_MS } from "./eventually.ts";

const POLL_MS = 100;

/**
 * Fills a data directory with the result of a first start, so that a run of many files initialises only once. The first
 * process calls `make`. Returns false if there is nothing to copy; the service then initialises itself.
 */
export async function fillFromSeed(folder: string, make: (seedFolder: string) => Promise<void>): Promise<boolean> {
  const runFolder = process.env["SWARMBASE_TEST_RUN"] ?? "";
  if (runFolder === "" || process.platform === "win32") return false;
  const seed = join(runFolder, "seed");
  const readyFile = join(runFolder, "seed.ready");
  const isFirst = await mkdir(seed, { mode: 0o711 }).then(
    () => true,
    () => false,
  );
  if (isFirst) {
    await make(seed);
    await rm(join(seed, "credentials.json"), { force: true });
    await forgetPort(join(seed, "postgres.json"));
    await writeFile(readyFile, "");
  } else if (!(await appears(readyFile))) {
    return false;
  }
  // File owners must be preserved: as root, the database runs under another account.
  return promisify(execFile)("cp", ["-a", `${seed}/.`, folder]).then(
    () => true,
    () => false,
  );
}

/** Otherwise all copies of the seed would try the same port first. */
async function forgetPort(recordFile: string): Promise<void> {
  const record = JSON.parse(await readFile(recordFile, "utf8")) as Record<string, unknown>;
  await writeFile(recordFile, JSON.stringify({ ...record, port: 0 }));
}

async function appears(file: string): Promise<boolean> {
  for (const deadline = Date.now() + WAIT_MS; Date.now() < deadline; await wait(POLL_MS)) {
    if (await stat(file).catch(() => null)) return true;
  }
  return false;
}
