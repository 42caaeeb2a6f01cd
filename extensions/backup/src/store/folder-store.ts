import { randomBytes } from "node:crypto";
import { link, mkdir, open, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { ExistsError, type ObjectStore } from "./object-store.ts";

const DRAFT = ".draft-";
/** A draft that is older was left by a process that was killed. */
const DRAFT_LIMIT_MS = 24 * 60 * 60 * 1_000;

/** Objects as files that only their owner can read. A file gets its name when it is complete and on disk. */
export function openFolderStore(folder: string): ObjectStore {
  return {
    location: folder,

    async put(name, content, { signal, mayReplace = false }) {
      signal.throwIfAborted();
      const path = join(folder, name);
      await makeFolder(dirname(path));
      const draft = join(dirname(path), `${DRAFT}${randomBytes(8).toString("hex")}`);
      try {
        const file = await open(draft, "wx", 0o600);
        try {
          await file.writeFile(content, { signal });
          await file.sync();
        } finally {
          await file.close();
        }
        if (mayReplace) await rename(draft, path);
        // Unlike a rename, a link never replaces a file that was created meanwhile.
        else await link(draft, path);
      } catch (error) {
        throw codeOf(error) === "EEXIST" ? new ExistsError(`${path} exists already`, { cause: error }) : error;
      } finally {
        await rm(draft, { force: true });
      }
      await syncFolder(dirname(path));
    },

    async get(name, signal) {
      return readFile(join(folder, name), { signal }).catch(unlessMissing(null));
    },

    async list(prefix, signal) {
      const names = await listFiles(join(folder, prefix), prefix, signal);
      return names.sort((one, other) => (one < other ? -1 : 1));
    },

    async remove(name, signal) {
      signal.throwIfAborted();
      await rm(join(folder, name), { force: true });
    },
  };
}

async function listFiles(folder: string, prefix: string, signal: AbortSignal): Promise<string[]> {
  signal.throwIfAborted();
  const names: string[] = [];
  for (const entry of await readdir(folder, { withFileTypes: true }).catch(unlessMissing([]))) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) names.push(...(await listFiles(path, `${prefix}${entry.name}/`, signal)));
    else if (entry.name.startsWith(DRAFT)) await removeAbandoned(path);
    else if (entry.isFile()) names.push(prefix + entry.name);
  }
  return names;
}

async function removeAbandoned(draft: string): Promise<void> {
  const found = await stat(draft).catch(() => null);
  if (found !== null && Date.now() - found.mtimeMs > DRAFT_LIMIT_MS) await rm(draft, { force: true });
}

/** Makes the folder and its entry in the parent durable. */
async function makeFolder(folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  for (let made = folder; made.length >= first.length; made = dirname(made)) await syncFolder(dirname(made));
}

async function syncFolder(path: string): Promise<void> {
  // Windows cannot sync a folder, and need not.
  if (process.platform === "win32") return;
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

function unlessMissing<T>(fallback: T): (error: unknown) => T {
  return (error) => {
    if (codeOf(error) === "ENOENT") return fallback;
    throw error;
  };
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : null;
}
