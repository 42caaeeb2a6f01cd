import { errorCode } from "../../crypto/index.ts";

/** A fault of the embedded PostgreSQL, with a message for the operator. */
export class EmbeddedError extends Error {
  override readonly name = "EmbeddedError";
}

const FILE_FAULTS: Readonly<Record<string, string>> = {
  EACCES: "this account may not use it",
  EPERM: "the operation is not permitted for this account",
  EROFS: "the file system is read-only",
  ENOSPC: "the disk is full",
  EDQUOT: "the disk quota is used up",
  ENOTDIR: "a part of the path is a file, not a folder",
  ENOENT: "it does not exist",
  EEXIST: "something else is already there",
  ELOOP: "it is a symbolic link where none may be",
  EISDIR: "it is a folder, not a file",
  EMFILE: "too many files are open",
  ENFILE: "too many files are open on this machine",
  EIO: "the disk reported an error",
  ENAMETOOLONG: "the path is too long",
};

/** Turns a fault of the start into a message that names the path; returns an EmbeddedError unchanged. */
export function explainFault(fault: unknown, fallbackPath: string): EmbeddedError {
  if (fault instanceof EmbeddedError) return fault;
  const code = errorCode(fault);
  const path = fault instanceof Error && "path" in fault && typeof fault.path === "string" ? fault.path : fallbackPath;
  const reason = FILE_FAULTS[code ?? ""] ?? messageOf(fault);
  const suffix = code === undefined || reason.includes(code) ? "" : ` (${code})`;
  return new EmbeddedError(`The embedded PostgreSQL cannot use ${path}: ${reason}${suffix}.`, { cause: fault });
}

/** Resolves with null when the file or folder does not exist. */
export async function unlessMissing<T>(reading: Promise<T>): Promise<T | null> {
  return reading.catch((fault: unknown) => {
    if (errorCode(fault) === "ENOENT") return null;
    throw fault;
  });
}

export function messageOf(fault: unknown): string {
  return fault instanceof Error ? fault.message : String(fault);
}
