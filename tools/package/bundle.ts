import { existsSync, readFileSync } from "node:fs";
import { cp, readFile, writeFile } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import semver from "semver";
import type { Manifest } from "./manifest.ts";

/** The oldest Node.js on which npm installs the packages. */
const OLDEST_NODE = "20.0.0";
/** What no program reads at run time: tests, pages, sources, builds for web bundlers, and source maps. */
const UNREAD = /^(tests?|docs|benchmarks?|examples?|integration|src|build\/(esm|esnext))$|\.(map|tsbuildinfo)$/;

interface Installed {
  readonly name: string;
  readonly folder: string;
  readonly needsNewerNode: boolean;
  readonly dependencies: readonly Installed[];
}

/**
 * The dependencies that a tarball has to contain: those that declare a newer Node.js than the one that may run npm, directly or by
 * a dependency of their own. npm would warn about each of them, though only the pinned Node.js runs them.
 */
export function findBundled(from: string, { dependencies = {} }: Manifest, own: ReadonlySet<string>): string[] {
  return Object.keys(dependencies)
    .filter((name) => !own.has(name))
    .filter((name) => someInstalled(locate(from, name, []), ({ needsNewerNode }) => needsNewerNode))
    .toSorted();
}

/** Copies the packages and everything that they depend on, as installed in the repository, below `to`/node_modules. */
export async function copyBundled(
  from: string,
  to: string,
  { dependencies: direct = {}, bundled }: Pick<Manifest, "dependencies"> & { readonly bundled: readonly string[] },
): Promise<void> {
  // npm installs the other direct dependencies beside the bundled ones, so no other version may be in their place.
  const placed = new Map(Object.keys(direct).map((name) => [join(to, name), locate(from, name, []).folder]));
  const copy = async (
    { name, folder, dependencies, needsNewerNode }: Installed,
    home: string,
    outer: readonly string[],
  ) => {
    const target = join(home, "node_modules", name);
    await cp(folder, target, { recursive: true, dereference: true, filter: (path) => isRead(relative(folder, path)) });
    if (needsNewerNode) await removeEngines(join(target, "package.json"));
    const around = [target, ...outer];
    for (const dependency of dependencies) {
      const visible = around
        .map((place) => placed.get(join(place, dependency.name)))
        .find((found) => found !== undefined);
      if (visible === dependency.folder) continue;
      // Beside the others, or inside of the package that needs it when another version is there.
      const next = visible === undefined ? to : target;
      placed.set(join(next, dependency.name), dependency.folder);
      await copy(dependency, next, next === to ? [to] : around);
    }
  };
  for (const name of bundled) await copy(locate(from, name, []), to, [to]);
}

/** The first install shows no warning about bundled packages, but every later one in the same project reads their engines. */
async function removeEngines(file: string): Promise<void> {
  const { engines: _, ...manifest } = JSON.parse(await readFile(file, "utf8")) as Manifest;
  await writeFile(file, `${JSON.stringify(manifest, null, 2)}\n`);
}

function isRead(path: string): boolean {
  return !path.includes("node_modules") && !UNREAD.test(path.split(sep).join("/"));
}

function someInstalled(one: Installed, matches: (installed: Installed) => boolean): boolean {
  return matches(one) || one.dependencies.some((dependency) => someInstalled(dependency, matches));
}

/** Finds a package as Node.js does, from the folder that depends on it. */
function locate(from: string, name: string, path: readonly string[]): Installed {
  for (let folder = from; ; folder = dirname(folder)) {
    const found = join(folder, "node_modules", name);
    if (existsSync(join(found, "package.json"))) {
      const { engines, dependencies = {} } = JSON.parse(readFileSync(join(found, "package.json"), "utf8")) as Manifest;
      const { node } = (engines ?? {}) as { readonly node?: string };
      const isCycle = path.includes(found);
      return {
        name,
        folder: found,
        needsNewerNode: node !== undefined && !semver.satisfies(OLDEST_NODE, node),
        dependencies: isCycle ? [] : Object.keys(dependencies).map((one) => locate(found, one, [...path, found])),
      };
    }
    if (dirname(folder) === folder) throw new Error(`${name} is not installed; ${from} depends on it`);
  }
}
