import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join, relative, sep } from "node:path";

/** All inputs of a build, relative to the workspace of the console. */
const SOURCES = ["src", "public", "build", "index.html", "package.json", "../clients/sdk/src", "../package-lock.json"];
const HASH_LENGTH = 20;

export async function hashSources(root: string): Promise<string> {
  const paths = (await Promise.all(SOURCES.map((source) => listFiles(join(root, source))))).flat();
  const names = new Map(paths.map((path) => [relative(root, path).split(sep).join("/"), path]));
  const hash = createHash("sha256");
  for (const [name, path] of [...names].toSorted(([left], [right]) => (left < right ? -1 : 1))) {
    const bytes = await readFile(path);
    hash.update(`${name}\0${bytes.length}\0`).update(bytes);
  }
  return hash.digest("hex").slice(0, HASH_LENGTH);
}

async function listFiles(path: string): Promise<string[]> {
  try {
    const entries = await readdir(path, { recursive: true, withFileTypes: true });
    return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  } catch (error) {
    if (!(error instanceof Error) || !("code" in error)) throw error;
    if (error.code === "ENOTDIR") return [path];
    // Not every installation has a lock file.
    if (error.code === "ENOENT") return [];
    throw error;
  }
}
