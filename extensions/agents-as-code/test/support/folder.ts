import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

export async function writeFiles(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [file, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await writeFile(join(folder, file), text);
  }
}

/** Path to text, sorted by path. */
export async function readFiles(folder: string): Promise<Record<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const files: Record<string, string> = {};
  for (const path of paths.sort()) files[path.slice(folder.length + 1)] = await readFile(path, "utf8");
  return files;
}

export async function editFile(folder: string, file: string, edit: (text: string) => string): Promise<void> {
  const path = join(folder, file);
  await writeFile(path, edit(await readFile(path, "utf8")));
}
