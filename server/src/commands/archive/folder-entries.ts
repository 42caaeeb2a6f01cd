import { createReadStream } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { ArchiveError, type TarEntry } from "./tar.ts";

/** What PostgreSQL creates at every start, or must not find in a copy. Their folders are kept, empty. */
const EMPTIED_FOLDERS = new Set([
  "pg_dynshmem",
  "pg_notify",
  "pg_replslot",
  "pg_serial",
  "pg_snapshots",
  "pg_stat_tmp",
  "pg_subtrans",
]);
const LEFT_OUT = /^(postmaster\.(pid|opts)|pgsql_tmp.*|pg_internal\.init.*)$/;

/** Reads every file and folder of a stopped cluster. */
export async function* readFolderEntries(folder: string, below = ""): AsyncGenerator<TarEntry> {
  const entries = await readdir(join(folder, below), { withFileTypes: true });
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (LEFT_OUT.test(entry.name)) continue;
    const path = below === "" ? entry.name : `${below}/${entry.name}`;
    if (entry.isDirectory()) {
      const { mode } = await stat(join(folder, path));
      yield { path, kind: "folder", sizeBytes: 0, mode, content: nothing() };
      if (below !== "" || !EMPTIED_FOLDERS.has(entry.name)) yield* readFolderEntries(folder, path);
    } else if (entry.isFile()) {
      yield await readFileEntry(join(folder, path), path);
    } else {
      throw new ArchiveError(`${join(folder, path)} is neither a file nor a folder; a backup cannot hold it`);
    }
  }
}

export async function readFileEntry(file: string, path: string): Promise<TarEntry> {
  const { size, mode } = await stat(file);
  return { path, kind: "file", sizeBytes: size, mode, content: size === 0 ? nothing() : createReadStream(file) };
}

async function* nothing(): AsyncGenerator<Buffer> {}
