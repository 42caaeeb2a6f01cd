import { readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import { compile, type CompileOptions } from "./compile.ts";
import type { SourcePackage } from "./packages.ts";

/** Compiles libraries into a package; returns where their declarations are, by specifier. */
export async function compileLibraries(
  libraries: readonly SourcePackage[],
  { root, to, declarations }: Pick<CompileOptions, "root" | "to" | "declarations">,
): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const { folder, manifest } of libraries) {
    const known = declarations === null ? null : { ...declarations, ...found };
    const [from, target] = [join(root, folder), join(to, folder)];
    await compile({ root, from, to: target, manifest, folders: ["src"], declarations: known });
    found[manifest.name] = join(target, "src/index.d.ts");
  }
  return found;
}

/** Makes the imports of libraries relative, in code and in declarations: nobody can install these packages. */
export async function renameLibraries(libraries: readonly SourcePackage[], to: string): Promise<void> {
  const folders = new Map(libraries.map(({ folder, manifest }) => [manifest.name, folder]));
  for (const entry of await readdir(to, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !/\.(?:js|d\.ts)$/.test(entry.name)) continue;
    const path = join(entry.parentPath, entry.name);
    const text = await readFile(path, "utf8");
    const renamed = text.replaceAll(/((?:from|import\()\s*")(@swarmbase\/[^"]+)"/g, (whole, start: string, name) => {
      const folder = folders.get(String(name));
      if (folder === undefined) return whole;
      return `${start}${relative(dirname(path), join(to, folder, "src/index.js")).replaceAll(sep, "/")}"`;
    });
    if (renamed !== text) await writeFile(path, renamed);
  }
}
