interface LockFile {
  readonly packages: Readonly<Record<string, { readonly hasInstallScript?: boolean }>>;
}

/**
 * The packages of a lock file that have an install script which `allowScripts` of the package.json neither allows nor denies. npm 11
 * asks the reader to decide about them after every install, and npm 12 does not run them.
 */
export function findUndecidedScripts(lockText: string, manifestText: string): string[] {
  const { packages } = JSON.parse(lockText) as LockFile;
  const { allowScripts = {} } = JSON.parse(manifestText) as {
    readonly allowScripts?: Readonly<Record<string, boolean>>;
  };
  const names = Object.entries(packages)
    .filter(([, { hasInstallScript }]) => hasInstallScript === true)
    .map(([path]) => path.split("node_modules/").at(-1) ?? path);
  return [...new Set(names)].filter((name) => !Object.hasOwn(allowScripts, name));
}
