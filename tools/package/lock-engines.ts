interface LockFile {
  readonly packages: Readonly<Record<string, { readonly engines?: unknown }>>;
}

/**
 * Removes the engines of installed packages from the text of a lock file. npm compares them with the Node.js that runs npm, and
 * warns, or silently skips an optional package; but the pinned Node.js runs all of these packages, and it fulfils their engines.
 * npm keeps what is removed until the package changes.
 */
export function removeEngines(text: string): string {
  const lock = JSON.parse(text) as LockFile;
  const packages = Object.fromEntries(
    Object.entries(lock.packages).map(([path, { engines, ...entry }]) => [
      path,
      isInstalled(path) || engines === undefined ? entry : { ...entry, engines },
    ]),
  );
  return `${JSON.stringify({ ...lock, packages }, null, 2)}\n`;
}

/** The packages of a lock file that have engines. */
export function findEngines(text: string): string[] {
  const { packages } = JSON.parse(text) as LockFile;
  return Object.keys(packages).filter((path) => isInstalled(path) && packages[path]?.engines !== undefined);
}

function isInstalled(path: string): boolean {
  return path.includes("node_modules/");
}
