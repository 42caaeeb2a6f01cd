import { access, constants, mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { errorCode } from "./whole-file.ts";

const OWNER_ONLY = 0o700;
const OWNER_ONLY_BUT_PASS_THROUGH = 0o711;

const REASONS: Readonly<Record<string, string>> = {
  EACCES: "this account may not write there",
  ENOENT: "it cannot be made there",
  EEXIST: "it is a file, not a directory",
  ENOSPC: "the disk is full",
  ENOTDIR: "a part of the path is a file",
  EPERM: "this account may not write there",
  EROFS: "the file system is read-only",
};

export class SecretDirError extends Error {
  override readonly name = "SecretDirError";
}

interface SecretDirOptions {
  /** As root, other accounts may traverse the folder, but not list it. */
  readonly mayPassThrough: boolean;
}

/** Creates the directory for its owner only. An existing one keeps its mode: the operator chose it. */
export async function prepareSecretDir(path: string, { mayPassThrough }: SecretDirOptions): Promise<void> {
  const mode = mayPassThrough && process.getuid?.() === 0 ? OWNER_ONLY_BUT_PASS_THROUGH : OWNER_ONLY;
  try {
    await mkdir(path, { recursive: true, mode });
    if (!(await stat(path)).isDirectory()) throw Object.assign(new Error("not a directory"), { code: "EEXIST" });
    await access(path, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    const code = (await findAncestorFault(path)) ?? errorCode(error) ?? "unknown";
    const reason = REASONS[code] ?? "it cannot be used";
    throw new SecretDirError(
      `The data directory ${path} cannot be used: ${reason} (${code}). Set DATA_DIR to another one.`,
      {
        cause: error,
      },
    );
  }
}

/** A read-only file system reports "no such file" for a new path, so the nearest existing folder is checked. */
async function findAncestorFault(path: string): Promise<string | undefined> {
  for (let folder = path; ; folder = dirname(folder)) {
    const code = await access(folder, constants.W_OK).then(() => undefined, errorCode);
    if (code !== "ENOENT" || dirname(folder) === folder) return code;
  }
}
