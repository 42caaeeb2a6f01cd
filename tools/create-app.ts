import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { delimiter, join, resolve } from "node:path";
import { buildPackages } from "./package/build.ts";
import { openLocalRegistry } from "./package/local-registry.ts";
import { type PackedPackage, packPackages } from "./package/pack.ts";

// `npm create swarmbase`, from a clone: the packages of the app are those of the sources, from a registry on this machine. With
// `--install <folder>` it installs the packages of an app that exists, which no other registry has.

const root = resolve(`${import.meta.dirname}/..`);
const [option, app] = process.argv.slice(2);
// `npm run` changes to the folder of the repository.
const cwd = process.env["INIT_CWD"] ?? process.cwd();
const existing = option === "--install" && app !== undefined ? resolve(cwd, app) : null;
const built = await buildPackages({ root, to: join(root, "dist/packages"), write: (line) => console.log(line) });
const packed = await packPackages(built, join(root, "dist/tarballs"));
const registry = await openLocalRegistry(packed);
// npm installs what the Node.js that runs it needs, and that is the user's, not the one of this repository.
const folders = (process.env["PATH"] ?? "").split(delimiter).filter((path) => !path.startsWith(root));
try {
  if (existing !== null) await forgetContents(join(existing, "package-lock.json"), packed);
  const create = [join(root, "clients/create-swarmbase/src/main.ts"), ...process.argv.slice(2)];
  const [program, args] = existing === null ? [process.execPath, create] : ["npm", ["install"]];
  const child = spawn(program, args, {
    cwd: existing ?? cwd,
    env: {
      ...process.env,
      PATH: folders.join(delimiter),
      npm_config_registry: registry.url,
      npm_config_omit_lockfile_registry_resolved: "true",
    },
    stdio: "inherit",
    shell: existing !== null && process.platform === "win32",
  });
  const [code] = (await once(child, "close")) as [number | null];
  process.exitCode = code ?? 1;
} finally {
  await registry.close();
}

/** The sources may have changed since the lock file was written, and the version has not. */
async function forgetContents(path: string, packages: readonly PackedPackage[]): Promise<void> {
  const text = await readFile(path, "utf8").catch(() => null);
  if (text === null) return;
  const lock = JSON.parse(text) as { readonly packages: Readonly<Record<string, { integrity?: string }>> };
  for (const { name } of packages) delete lock.packages[`node_modules/${name}`]?.integrity;
  await writeFile(path, `${JSON.stringify(lock, null, 2)}\n`);
}
