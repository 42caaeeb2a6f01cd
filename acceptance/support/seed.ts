import { execFile } from "node:child_process";
import { mkdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";

const WAIT_MS = 90_000;
const POLL_MS = 100;

/**
 * Fills a data directory with what a first start makes, so that a run of many files pays for one first start only. `make` does
 * that start, in the one process that comes first. False where there is nothing to fill it with: the service then starts from nothing.
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
  // Owners must stay as they are: as root, the database runs under another account.
  return promisify(execFile)("cp", ["-a", `${seed}/.`, folder]).then(
    () => true,
    () => false,
  );
}

/** All that come of the seed would ask for the same port first. */
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
