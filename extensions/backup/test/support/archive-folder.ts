import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type ListedChain, groupNames } from "../../src/archive/names.ts";

/** The objects of an archive in a folder, by chain. */
export async function listArchive(folder: string): Promise<readonly ListedChain[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const files = entries.filter((entry) => entry.isFile());
  return groupNames(files.map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1)));
}

export async function flipByte(file: string): Promise<void> {
  const content = await readFile(file);
  const at = Math.floor(content.length / 2);
  content[at] = (content[at] ?? 0) ^ 1;
  await writeFile(file, content);
}

export async function removeObject(file: string): Promise<void> {
  await rm(file);
}
