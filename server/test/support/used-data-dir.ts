import { execFile } from "node:child_process";
import { mkdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";
import { limitBuffers, prepareForCopies } from "../../testing/template.ts";
import { startService } from "./service.ts";

const WAIT_MS = 200_000;
const POLL_MS = 100;

/**
 * Fills a folder with what a service leaves that has run and was stopped, for tests to which the first start is nothing but
 * time. The first process of a run that asks makes it; where that cannot be had the folder stays empty, which is only slower.
 */
export async function fillDataDir(folder: string): Promise<void> {
  const runFolder = process.env["SWARMBASE_TEST_RUN"] ?? "";
  if (runFolder === "" || process.platform === "win32") return;
  // The acceptance tests fill theirs from the same folder, whichever creates it first.
  const seed = join(runFolder, "seed");
  const readyFile = `${seed}.ready`;
  const isFirst = await mkdir(seed, { mode: 0o711 }).then(
    () => true,
    () => false,
  );
  if (isFirst) {
    await makeSeed(seed);
    await writeFile(readyFile, "");
  } else if (!(await appears(readyFile))) {
    return;
  }
  // Owners must stay as they are: as root, the database runs under another account.
  await promisify(execFile)("cp", ["-a", `${seed}/.`, folder]);
  await limitBuffers(folder);
}

async function makeSeed(seed: string): Promise<void> {
  const closers: (() => Promise<void>)[] = [];
  try {
    await startService({ after: (close) => closers.push(close) }, { dataDir: seed });
  } finally {
    for (const close of closers) await close();
  }
  await prepareForCopies(seed);
}

async function appears(file: string): Promise<boolean> {
  for (const deadline = Date.now() + WAIT_MS; Date.now() < deadline; await wait(POLL_MS)) {
    if (await stat(file).catch(() => null)) return true;
  }
  return false;
}
