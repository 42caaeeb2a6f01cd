import { existsSync } from "node:fs";
import { mkdir, mkdtemp, open, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { hashSources } from "./hash-sources.ts";

export interface BuildOnceOptions {
  /** The workspace of the console. */
  readonly root: string;
  write(line: string): void;
  /** Writes the built files into a folder; the default is the real build. */
  make?(root: string, outDir: string): Promise<void>;
}

const POLL_MS = 200;
const STALE_LOCK_MS = 180_000;
const KEPT_BUILDS = 2;

/**
 * Each version of the sources has its own folder, `dist/<hash>`, which a rename creates atomically: an existing folder is complete,
 * and concurrent builds are safe. The lock only avoids duplicate work.
 */
export async function buildOnce({ root, write, make = makeAll }: BuildOnceOptions): Promise<string> {
  const hash = await hashSources(root);
  const dist = join(root, "dist");
  const wanted = join(dist, hash);
  if (existsSync(wanted)) return wanted;
  await mkdir(dist, { recursive: true });
  const lock = join(dist, `${hash}.lock`);
  while (!(await takeLock(lock))) {
    await wait(POLL_MS);
    if (existsSync(wanted)) return wanted;
  }
  try {
    if (existsSync(wanted)) return wanted;
    await build({ root, dist, wanted, write, make });
  } finally {
    await rm(lock, { force: true });
  }
  await dropOldBuilds(dist);
  return wanted;
}

async function build(places: {
  readonly root: string;
  readonly dist: string;
  readonly wanted: string;
  write(line: string): void;
  make(root: string, outDir: string): Promise<void>;
}): Promise<void> {
  const { root, dist, wanted, write, make } = places;
  write("Building the console, which takes a few seconds; the API is available already …");
  const startedAt = performance.now();
  const unfinished = await mkdtemp(join(dist, "unfinished-"));
  try {
    await make(root, unfinished);
    await rename(unfinished, wanted).catch((error: unknown) => {
      if (!existsSync(wanted)) throw error;
    });
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
  write(`The console is ready (${((performance.now() - startedAt) / 1000).toFixed(1)} s)`);
}

/** Loads the bundler only when a build is necessary. */
async function makeAll(root: string, outDir: string): Promise<void> {
  const { bundle } = await import("./bundle.ts");
  const { compressFiles } = await import("./compress-files.ts");
  await bundle(root, outDir);
  await compressFiles(outDir);
}

async function takeLock(lock: string): Promise<boolean> {
  try {
    const file = await open(lock, "wx");
    await file.writeFile(String(process.pid));
    await file.close();
    return true;
  } catch (error) {
    if (!isCode(error, "EEXIST")) throw error;
    if (await isAbandoned(lock)) await rm(lock, { force: true });
    return false;
  }
}

async function isAbandoned(lock: string): Promise<boolean> {
  try {
    const pid = Number(await readFile(lock, "utf8"));
    const { mtimeMs } = await stat(lock);
    if (Date.now() - mtimeMs > STALE_LOCK_MS) return true;
    // The lock was just created and its owner has not written its id yet.
    if (pid === 0) return false;
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return isCode(error, "ESRCH");
  }
}

/** Keeps the newest builds, which a service may be about to read, and builds in progress. */
async function dropOldBuilds(dist: string): Promise<void> {
  const names = await readdir(dist);
  const aged = await Promise.all(
    names.map(async (name) => ({
      name,
      time: (await stat(join(dist, name)).catch(() => null))?.mtimeMs ?? Date.now(),
    })),
  );
  const builds = aged.filter(({ name }) => /^[0-9a-f]+$/.test(name));
  const old = builds.toSorted((left, right) => right.time - left.time).slice(KEPT_BUILDS);
  const abandoned = aged.filter(
    ({ name, time }) => !builds.some((one) => one.name === name) && time < Date.now() - STALE_LOCK_MS,
  );
  await Promise.all([...old, ...abandoned].map(({ name }) => rm(join(dist, name), { recursive: true, force: true })));
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}
