import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { appendFile, cp, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const SERVER = join(import.meta.dirname, "..");
/** The files that decide what a first start writes. */
const SOURCES = ["package.json", "migrations", "functions", "comments"];
const HASH_LENGTH = 20;
/**
 * The service sizes the buffers by the memory of the machine. PostgreSQL initialises all of them at every start, which takes a
 * few hundred milliseconds on a large machine, and a test uses few of them.
 */
const CLUSTER_SETTINGS = "shared_buffers = '128MB'\n";

/**
 * Fills an empty data directory with the result of a first start, which `start` writes once. The result is kept between runs, for
 * each version of the schema; concurrent first runs each make one, and the first to finish is kept.
 */
export async function fillFromTemplate(folder: string, start: (folder: string) => Promise<void>): Promise<void> {
  const parent = cacheFolder();
  const template = join(parent, await hashSources());
  if (existsSync(template)) {
    await copyFolder(template, folder);
  } else {
    await start(folder);
    await prepareForCopies(folder);
    // The instance works without a template too, only slower.
    await keepTemplate(folder, parent, template).catch(() => {});
  }
  await limitBuffers(folder);
}

/** Removes what copies of a data directory must not share. No service may run on it. */
export async function prepareForCopies(folder: string): Promise<void> {
  await rm(join(folder, "credentials.json"), { force: true });
  await forgetPort(join(folder, "postgres.json"));
}

/** For a database that does not run. As root it may be outside of the data directory, and then keeps its size. */
export async function limitBuffers(folder: string): Promise<void> {
  const settingsFile = join(folder, "postgres/cluster/postgresql.auto.conf");
  if (existsSync(settingsFile)) await appendFile(settingsFile, CLUSTER_SETTINGS);
}

async function keepTemplate(folder: string, parent: string, template: string): Promise<void> {
  await mkdir(parent, { recursive: true, mode: 0o700 });
  const unfinished = await mkdtemp(join(parent, "unfinished-"));
  try {
    await copyFolder(folder, unfinished);
    await rename(unfinished, template);
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
  const old = (await readdir(parent)).filter((name) => /^[0-9a-f]+$/.test(name) && join(parent, name) !== template);
  for (const name of old) await rm(join(parent, name), { recursive: true, force: true });
}

/** Of this user alone: a template holds the keys of every instance that was copied from it. */
function cacheFolder(): string {
  const { XDG_CACHE_HOME, LOCALAPPDATA } = process.env;
  const parent = XDG_CACHE_HOME || (process.platform === "win32" && LOCALAPPDATA) || join(homedir(), ".cache");
  return join(parent, "swarmbase", "testing");
}

async function hashSources(): Promise<string> {
  const hash = createHash("sha256");
  for (const source of SOURCES) {
    const path = join(SERVER, source);
    const names = source.includes(".") ? [""] : (await readdir(path)).filter((name) => name.endsWith(".sql")).sort();
    for (const name of names) hash.update(`${source}/${name}\0`).update(await readFile(join(path, name)));
  }
  return hash.digest("hex").slice(0, HASH_LENGTH);
}

/** Preserves the owners of files: as root, the database runs under another account. */
async function copyFolder(from: string, to: string): Promise<void> {
  if (process.platform === "win32") await cp(from, to, { recursive: true });
  else await promisify(execFile)("cp", ["-a", `${from}/.`, to]);
}

/** Otherwise all instances would try the same port first. */
async function forgetPort(recordFile: string): Promise<void> {
  const record = JSON.parse(await readFile(recordFile, "utf8")) as Record<string, unknown>;
  await writeFile(recordFile, JSON.stringify({ ...record, port: 0 }));
}
