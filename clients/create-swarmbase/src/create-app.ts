import { cp, mkdir, readdir, readFile, rename, writeFile } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

export interface App {
  readonly name: string;
  readonly folder: string;
}

/** The app cannot be created as asked for. The message says why. */
export class NotCreatedError extends Error {}

const TEMPLATE = fileURLToPath(new URL("../template", import.meta.url));
/** npm leaves a file `.gitignore` out of packages. */
const RENAMED = { gitignore: ".gitignore" } as const;
/** Versions of the packages that are released together with this one. */
const OWN_PACKAGE = /^(?:swarmbase$|@swarmbase\/)/;
const MAX_NAME_CHARS = 214;
const RESERVED_NAMES: ReadonlySet<string> = new Set(["node_modules", "favicon.ico", "swarmbase"]);
/** A repository that has just been created is as good as empty. */
const ALLOWED_ENTRIES: ReadonlySet<string> = new Set([".git"]);

/** Creates an app in `target`, a path relative to `from`. */
export async function createApp(
  target: string,
  { version, from }: { readonly version: string; readonly from: string },
): Promise<App> {
  const folder = resolve(from, target);
  const name = namePackage(basename(folder));
  if (RESERVED_NAMES.has(name))
    throw new NotCreatedError(`"${name}" cannot be the name of an app. Choose another one.`);
  try {
    await assertEmpty(folder);
    await mkdir(folder, { recursive: true });
    await cp(TEMPLATE, folder, { recursive: true });
    for (const [packed, wanted] of Object.entries(RENAMED)) await rename(join(folder, packed), join(folder, wanted));
    await fillManifest(join(folder, "package.json"), name, version);
  } catch (error) {
    // Such as a folder of somebody else, a read-only file system, or a full disk.
    if (isSystemError(error)) throw new NotCreatedError(`${folder} cannot be written: ${error.message}`);
    throw error;
  }
  return { name, folder };
}

/** What npm accepts as a name, as close to that of the folder as possible: "my-uber-app" for "My Über App". */
function namePackage(folder: string): string {
  const letters = folder.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase();
  const name = letters.replaceAll(/[^a-z0-9._-]+/g, "-").replace(/^[._-]+/, "");
  return name.slice(0, MAX_NAME_CHARS).replace(/-+$/, "") || "app";
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && "syscall" in error;
}

async function assertEmpty(folder: string): Promise<void> {
  let entries: readonly string[];
  try {
    entries = await readdir(folder);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return;
    if (code === "ENOTDIR") throw new NotCreatedError(`${folder} is a file, not a folder.`);
    throw error;
  }
  if (entries.some((entry) => !ALLOWED_ENTRIES.has(entry)))
    throw new NotCreatedError(`${folder} is not empty. Choose another folder; nothing was changed.`);
}

async function fillManifest(path: string, name: string, version: string): Promise<void> {
  const manifest = JSON.parse(await readFile(path, "utf8")) as { readonly dependencies: Record<string, string> };
  const dependencies = Object.fromEntries(
    Object.entries(manifest.dependencies).map(([dependency, range]) => [
      dependency,
      OWN_PACKAGE.test(dependency) ? version : range,
    ]),
  );
  await writeFile(path, `${JSON.stringify({ ...manifest, name, dependencies }, null, 2)}\n`);
}
