import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { loadSettings } from "../../server/src/config/index.ts";
import { includeLibraries, type Manifest, SERVICE } from "./manifest.ts";

export interface SourcePackage {
  /** Relative to the root of the repository. */
  readonly folder: string;
  readonly manifest: Manifest;
}

const SCOPE = "@swarmbase/";

/** Every package that is published, each after those it depends on. */
export function findPackages(root: string): SourcePackage[] {
  const folders = ["server", ...["clients", "extensions"].flatMap((kind) => listBelow(root, kind))];
  const found = folders
    .filter((folder) => existsSync(join(root, folder, "package.json")))
    .map((folder) => ({ folder, manifest: readManifest(join(root, folder)) }));
  if (!found.some(({ manifest }) => manifest.name === SERVICE)) throw new Error(`there is no package ${SERVICE}`);
  const libraries = findLibraries(root).map(({ manifest }) => manifest);
  return sortByDependencies(
    found.map(({ folder, manifest }) => ({
      folder,
      manifest: manifest.name === SERVICE ? includeLibraries(manifest, libraries) : manifest,
    })),
  );
}

/** The libraries, each after those it depends on. They are not published: the package of the service contains them. */
export function findLibraries(root: string): SourcePackage[] {
  const names = readdirSync(join(root, "libraries")).toSorted();
  return sortByDependencies(
    names.map((name) => ({ folder: `libraries/${name}`, manifest: readManifest(join(root, "libraries", name)) })),
  );
}

function listBelow(root: string, kind: string): string[] {
  return readdirSync(join(root, kind))
    .map((name) => `${kind}/${name}`)
    .toSorted();
}

function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;
}

/** The extensions that a service loads by default, so that its package has to install them. */
export function findDefaultExtensions(): string[] {
  return loadSettings({}).extensions.map((name) => (name.startsWith("@") ? name : `${SCOPE}${name}`));
}

function sortByDependencies(packages: readonly SourcePackage[]): SourcePackage[] {
  const sorted: SourcePackage[] = [];
  const visit = (one: SourcePackage, path: readonly SourcePackage[]): void => {
    if (sorted.includes(one)) return;
    if (path.includes(one)) throw new Error(`${one.manifest.name} depends on itself`);
    const { dependencies = {}, peerDependencies = {} } = one.manifest;
    for (const name of Object.keys({ ...dependencies, ...peerDependencies })) {
      const other = packages.find(({ manifest }) => manifest.name === name);
      if (other !== undefined) visit(other, [...path, one]);
    }
    sorted.push(one);
  };
  for (const one of packages) visit(one, []);
  return sorted;
}
