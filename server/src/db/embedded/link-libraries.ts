import { lstat, readFile, symlink } from "node:fs/promises";
import { dirname, join, relative, resolve, sep } from "node:path";
import { errorCode } from "../../crypto/index.ts";
import { EmbeddedError, unlessMissing } from "./embedded-error.ts";

interface LibraryLink {
  readonly file: string;
  readonly link: string;
}

/**
 * npm packages cannot contain symbolic links, so the package lists them and creates them in an install script. We do not
 * rely on install scripts and create missing links here. Returns false when links are missing and the folder is read-only.
 */
export async function linkLibraries(packageDir: string): Promise<boolean> {
  for (const { file, link } of await readLinks(packageDir)) {
    if ((await unlessMissing(lstat(link))) !== null) continue;
    try {
      await symlink(relative(dirname(link), file), link);
    } catch (fault) {
      const code = errorCode(fault);
      // Another start may have created it meanwhile.
      if (code === "EEXIST") continue;
      if (code === "EACCES" || code === "EPERM" || code === "EROFS") return false;
      throw fault;
    }
  }
  return true;
}

async function readLinks(packageDir: string): Promise<LibraryLink[]> {
  const text = await unlessMissing(readFile(join(packageDir, "native", "pg-symlinks.json"), "utf8"));
  // Windows has no such links and no such file.
  const rows: unknown = JSON.parse(text ?? "[]");
  if (!Array.isArray(rows)) throw new EmbeddedError(`${packageDir}/native/pg-symlinks.json is not a list.`);
  return rows.map((row: { source?: unknown; target?: unknown }) => ({
    file: pathInside(packageDir, row.source),
    link: pathInside(packageDir, row.target),
  }));
}

function pathInside(folder: string, path: unknown): string {
  const whole = resolve(folder, String(path));
  if (!whole.startsWith(resolve(folder) + sep)) {
    throw new EmbeddedError(`${folder}/native/pg-symlinks.json names a path outside its package.`);
  }
  return whole;
}
