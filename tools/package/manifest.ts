/** The parts of a package.json that the build reads or writes. */
export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly description?: string;
  /** Paths of programs by name. */
  readonly bin?: Readonly<Record<string, string>>;
  readonly exports?: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly [member: string]: unknown;
}

export interface ManifestOptions {
  /** Names of the packages of this repository. */
  readonly own: ReadonlySet<string>;
  /** As in the package.json of the repository; provenance needs it. */
  readonly repository: unknown;
  /** The folder of the package in the repository. */
  readonly directory: string;
  /** Packages that the tarball contains. */
  readonly bundled: readonly string[];
  /** Added to the dependencies. */
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

export const SERVICE = "swarmbase";
const SOURCE_CONDITION = "swarmbase-source";
const OLDEST_NODE = ">=20";
/** What only work in the repository needs. */
const LEFT_OUT = ["private", "scripts", "devDependencies", "files"];

/**
 * The package.json of a published package. All packages of a release have one version and depend on exactly it. An extension runs
 * inside of the service, so it has the service as a peer.
 */
export function writeManifest(source: Manifest, options: ManifestOptions): Manifest {
  const { own, repository, bundled } = options;
  const kept = Object.fromEntries(Object.entries(source).filter(([name]) => !LEFT_OUT.includes(name)));
  const { dependencies = {}, optionalDependencies = {}, peerDependencies = {}, bin, exports } = source;
  const pin = (rows: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(rows).map(([name, range]) => [name, own.has(name) ? source.version : range]));
  const all = pin({ ...dependencies, ...options.dependencies });
  const { [SERVICE]: service, ...direct } = all;
  const peers = pin({ ...peerDependencies, ...(service !== undefined && { [SERVICE]: service }) });
  return {
    ...kept,
    name: source.name,
    version: source.version,
    ...(repository !== undefined && { repository: withDirectory(repository, options.directory) }),
    publishConfig: { access: "public", provenance: true },
    engines: source["engines"] ?? { node: OLDEST_NODE },
    ...(bin !== undefined && { bin: mapBin(bin) }),
    ...(exports !== undefined && { exports: mapExports(exports) }),
    ...nonEmpty("dependencies", direct),
    ...nonEmpty("optionalDependencies", pin({ ...optionalDependencies, ...options.optionalDependencies })),
    ...nonEmpty("peerDependencies", peers),
    ...(bundled.length > 0 && { bundleDependencies: bundled }),
  };
}

/** The package.json of a package that contains libraries: it depends on what they depend on. */
export function includeLibraries(source: Manifest, libraries: readonly Manifest[]): Manifest {
  const own = new Set(libraries.map(({ name }) => name));
  const merge = (member: "dependencies" | "optionalDependencies"): Record<string, string> => {
    const merged: Record<string, string> = {};
    for (const { name, [member]: rows = {} } of [source, ...libraries])
      for (const [dependency, range] of Object.entries(rows)) {
        if (own.has(dependency)) continue;
        merged[dependency] ??= range;
        if (merged[dependency] !== range) throw new Error(`${name} wants another version of ${dependency}`);
      }
    return merged;
  };
  return { ...source, dependencies: merge("dependencies"), optionalDependencies: merge("optionalDependencies") };
}

/** Every path of a package is that of the repository, with the endings of compiled files. */
function mapExports(exports: NonNullable<Manifest["exports"]>): NonNullable<Manifest["exports"]> {
  return Object.fromEntries(
    Object.entries(exports).map(([name, target]): [string, string | Record<string, string>] => {
      if (typeof target !== "string")
        return [
          name,
          Object.fromEntries(Object.entries(target).filter(([condition]) => condition !== SOURCE_CONDITION)),
        ];
      if (!target.endsWith(".ts")) return [name, target];
      const path = target.slice(0, -".ts".length);
      return [name, { types: `${path}.d.ts`, default: `${path}.js` }];
    }),
  );
}

function mapBin(bin: NonNullable<Manifest["bin"]>): NonNullable<Manifest["bin"]> {
  return Object.fromEntries(Object.entries(bin).map(([name, path]) => [name, path.replace(/\.ts$/, ".js")]));
}

function nonEmpty(member: string, rows: Readonly<Record<string, string>>): object {
  return Object.keys(rows).length === 0 ? { [member]: undefined } : { [member]: rows };
}

function withDirectory(repository: unknown, directory: string): unknown {
  return typeof repository === "object" ? { ...repository, directory } : repository;
}
