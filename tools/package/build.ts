import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { cp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { buildOnce } from "../../console/build/build-once.ts";
import { copyBundled, findBundled } from "./bundle.ts";
import { compile, compileOwnProject, type CompileOptions } from "./compile.ts";
import { compileLibraries, renameLibraries } from "./libraries.ts";
import { type Manifest, SERVICE, writeManifest } from "./manifest.ts";
import { NODE_PACKAGE, NODE_README, writeNodeManifest } from "./node-package.ts";
import { pruneDeclarations } from "./prune-declarations.ts";
import { findDefaultExtensions, findLibraries, findPackages, type SourcePackage } from "./packages.ts";

export interface BuildOptions {
  readonly root: string;
  /** The packages are built in folders of their names below it, which are replaced. */
  readonly to: string;
  /** Leaves out declarations, and the dependencies that npm would warn about. */
  readonly isQuick?: boolean;
  /** Builds only these, which have to include those that they depend on. Default: every package. */
  readonly only?: readonly string[];
  write?(line: string): void;
}

export interface BuiltPackage {
  readonly name: string;
  readonly version: string;
  readonly folder: string;
}

/** A package for clients has a project for the compiler, because its code also runs elsewhere than in Node.js. */
const OWN_PROJECT = "tsconfig.build.json";
/** Where a project of a package, or its script `build`, writes. */
const OWN_OUTPUT = "dist";
/** Folders of a package that the published one has too, unless they are missing. */
const COMPILED = ["src", "demo", "testing"];
const COPIED = ["bin", "migrations", "functions", "comments", "sql", "README.md"];

/** Builds every package of a release. */
export async function buildPackages(options: BuildOptions): Promise<BuiltPackage[]> {
  const { root, to, write = () => {} } = options;
  const packages = findPackages(root);
  const own = new Set([...packages.map(({ manifest }) => manifest.name), NODE_PACKAGE]);
  const { repository } = JSON.parse(await readFile(join(root, "package.json"), "utf8")) as Manifest;
  const declarations: Record<string, string> = {};
  const built: BuiltPackage[] = [];
  for (const one of packages) {
    if (options.only?.includes(one.manifest.name) === false) continue;
    const startedAt = performance.now();
    const folder = join(to, one.manifest.name);
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true });
    await fillFolder(one, folder, { root, declarations: options.isQuick === true ? null : declarations });
    const manifest = await finishManifest(one, folder, { ...options, own, repository });
    const entries = findDeclarations(manifest, folder);
    await pruneDeclarations(folder, Object.values(entries));
    Object.assign(declarations, entries);
    built.push({ name: manifest.name, version: manifest.version, folder });
    write(`${manifest.name} ${manifest.version} (${((performance.now() - startedAt) / 1000).toFixed(1)} s)`);
  }
  const version = packages.find(({ manifest }) => manifest.name === SERVICE)?.manifest.version ?? "";
  return [await buildNodePackage({ root, to, version, repository }), ...built];
}

async function fillFolder(
  { folder: source, manifest }: SourcePackage,
  to: string,
  { root, declarations }: Pick<CompileOptions, "root" | "declarations">,
): Promise<void> {
  const from = join(root, source);
  await cp(join(root, "LICENSE"), join(to, "LICENSE"));
  const { files = [], scripts = {} } = manifest as {
    readonly files?: readonly string[];
    readonly scripts?: Readonly<Record<string, string>>;
  };
  if (existsSync(join(from, OWN_PROJECT))) {
    await compileOwnProject(root, join(from, OWN_PROJECT), join(to, OWN_OUTPUT));
    for (const name of [...files, "README.md"])
      if (name !== OWN_OUTPUT) await copyIfThere(join(from, name), join(to, name));
    return;
  }
  if (scripts["build"] !== undefined) {
    await rm(join(from, OWN_OUTPUT), { recursive: true, force: true });
    await promisify(execFile)("npm", ["run", "build"], { cwd: from, shell: process.platform === "win32" });
    await copyIfThere(join(from, OWN_OUTPUT), join(to, OWN_OUTPUT));
  }
  for (const name of [...COPIED, ...files]) await copyIfThere(join(from, name), join(to, name));
  const folders = COMPILED.filter((name) => existsSync(join(from, name)));
  const libraries = manifest.name === SERVICE ? findLibraries(root) : [];
  const included = await compileLibraries(libraries, { root, to, declarations });
  const known = declarations === null ? null : { ...declarations, ...included };
  await compile({ root, from, to, manifest, folders, declarations: known });
  if (manifest.name === SERVICE) {
    await renameLibraries(libraries, to);
    const builtConsole = await buildOnce({ root: join(root, "console"), write: () => {} });
    await cp(builtConsole, join(to, "console"), { recursive: true });
  }
}

async function finishManifest(
  { folder: source, manifest }: SourcePackage,
  to: string,
  {
    root,
    own,
    repository,
    isQuick = false,
  }: BuildOptions & { readonly own: Set<string>; readonly repository: unknown },
): Promise<Manifest> {
  const from = join(root, source);
  const bundled = isQuick ? [] : findBundled(from, manifest, own);
  await copyBundled(from, to, { ...manifest, bundled });
  const isService = manifest.name === SERVICE;
  if (isService) for (const name of findDefaultExtensions()) if (!own.has(name)) throw new Error(`there is no ${name}`);
  const finished = writeManifest(manifest, {
    own,
    repository,
    directory: source,
    bundled,
    ...(isService && {
      dependencies: Object.fromEntries(findDefaultExtensions().map((name) => [name, manifest.version])),
      optionalDependencies: { [NODE_PACKAGE]: manifest.version },
    }),
  });
  await writeFile(join(to, "package.json"), `${JSON.stringify(finished, null, 2)}\n`);
  return finished;
}

async function buildNodePackage({
  root,
  to,
  version,
  repository,
}: Pick<BuildOptions, "root" | "to"> & {
  readonly version: string;
  readonly repository: unknown;
}): Promise<BuiltPackage> {
  const folder = join(to, NODE_PACKAGE);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await cp(join(root, "LICENSE"), join(folder, "LICENSE"));
  await writeFile(join(folder, "README.md"), NODE_README);
  const manifest = writeNodeManifest(root, version, repository);
  await writeFile(join(folder, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  return { name: manifest.name, version, folder };
}

function findDeclarations({ name, exports = {} }: Manifest, folder: string): Record<string, string> {
  return Object.fromEntries(
    Object.entries(exports).flatMap(([path, target]) =>
      typeof target === "string" || target["types"] === undefined
        ? []
        : [[`${name}${path.slice(1)}`, join(folder, target["types"])]],
    ),
  );
}

async function copyIfThere(from: string, to: string): Promise<void> {
  if (existsSync(from)) await cp(from, to, { recursive: true });
}
