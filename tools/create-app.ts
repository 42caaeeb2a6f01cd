import { readFile, writeFile } from "node:fs/promises";
import { delimiter, join, resolve } from "node:path";
import { quote, run } from "../clients/create-swarmbase/src/index.ts";
import { openTerminal, runNpm } from "../clients/create-swarmbase/src/terminal.ts";
import { buildPackages } from "./package/build.ts";
import { openLocalRegistry } from "./package/local-registry.ts";
import { type PackedPackage, packPackages } from "./package/pack.ts";

// `npm create swarmbase`, from a clone: the packages of the app are those of the sources, from a registry on this machine. With
// `--install <folder>` it installs the packages of an app that exists, which no other registry has.

const root = resolve(`${import.meta.dirname}/..`);
// npm installs and runs what the Node.js that runs it needs, and that is the user's, not the one of this repository.
const folders = (process.env["PATH"] ?? "").split(delimiter).filter((path) => !path.startsWith(root));
process.env["PATH"] = folders.join(delimiter);
// `npm run` changes to the folder of the repository.
const terminal = openTerminal(process.env["INIT_CWD"] ?? process.cwd());
const args = process.argv.slice(2);
const [option, app] = args;
process.exitCode =
  option === "--install" && app !== undefined
    ? await install(resolve(terminal.folder, app), true)
    : await run(args, {
        ...terminal,
        // No registry has the packages yet.
        installCommand: `npm --prefix ${quote(root)} run create-app -- --install .`,
        install: async (folder) => (await install(folder, false)) === 0,
      });

/** Builds the packages and installs them in an app. Returns the exit code of npm. */
async function install(folder: string, isAgain: boolean): Promise<number> {
  const built = await buildPackages({ root, to: join(root, "dist/packages"), write: (line) => console.log(line) });
  const packed = await packPackages(built, join(root, "dist/tarballs"));
  const registry = await openLocalRegistry(packed);
  const variables = { npm_config_registry: registry.url, npm_config_omit_lockfile_registry_resolved: "true" };
  try {
    if (isAgain) await forgetContents(join(folder, "package-lock.json"), packed);
    return await runNpm(folder, ["install"], { ...process.env, ...variables });
  } finally {
    await registry.close();
  }
}

/** The sources may have changed since the lock file was written, and the version has not. */
async function forgetContents(path: string, packages: readonly PackedPackage[]): Promise<void> {
  const text = await readFile(path, "utf8").catch(() => null);
  if (text === null) return;
  const lock = JSON.parse(text) as { readonly packages: Readonly<Record<string, { integrity?: string }>> };
  for (const { name } of packages) delete lock.packages[`node_modules/${name}`]?.integrity;
  await writeFile(path, `${JSON.stringify(lock, null, 2)}\n`);
}
