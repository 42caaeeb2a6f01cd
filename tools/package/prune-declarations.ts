import { existsSync } from "node:fs";
import { readdir, readFile, rm } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";

const DECLARATION = /\.d\.[cm]?ts$/;
const SPECIFIER = /(?:from|import\()\s*"([^"\n]+)"/g;

/**
 * Removes the declarations that an importer of a built package cannot reach from its entries, also those of bundled packages: they are a
 * third of the files.
 */
export async function pruneDeclarations(folder: string, entries: readonly string[]): Promise<void> {
  const { reached, packages } = await follow(entries);
  const bundled = [...packages].map((name) => join("node_modules", name) + sep);
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !DECLARATION.test(entry.name)) continue;
    const path = join(entry.parentPath, entry.name);
    const isTyped = bundled.some((start) => relative(folder, path).startsWith(start));
    if (!reached.has(path) && !isTyped) await rm(path);
  }
}

interface Reached {
  readonly reached: ReadonlySet<string>;
  /** Names of the packages that the declarations import. */
  readonly packages: ReadonlySet<string>;
}

async function follow(entries: readonly string[]): Promise<Reached> {
  const [reached, packages] = [new Set<string>(), new Set<string>()];
  const waiting = [...entries];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (reached.has(path) || !existsSync(path)) continue;
    reached.add(path);
    for (const [, specifier = ""] of (await readFile(path, "utf8")).matchAll(SPECIFIER)) {
      if (specifier.startsWith(".")) waiting.push(join(dirname(path), specifier.replace(/\.js$/, ".d.ts")));
      else packages.add(specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/"));
    }
  }
  return { reached, packages };
}
