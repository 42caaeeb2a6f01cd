import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { errorCode } from "../../crypto/index.ts";

/** The `postmaster.pid` of a running (or killed) PostgreSQL. */
interface PostmasterFile {
  readonly pid: number;
  readonly isReady: boolean;
}

const STATUS_LINE = 7;

export function postmasterFilePath(clusterDir: string): string {
  return join(clusterDir, "postmaster.pid");
}

export async function readPostmasterFile(clusterDir: string): Promise<PostmasterFile | null> {
  try {
    return parsePostmasterFile(await readFile(postmasterFilePath(clusterDir), "utf8"));
  } catch (fault) {
    if (errorCode(fault) === "ENOENT" || errorCode(fault) === "ENOTDIR") return null;
    throw fault;
  }
}

export function parsePostmasterFile(text: string): PostmasterFile | null {
  const lines = text.split("\n");
  // A standalone backend writes its pid as a negative number.
  const pid = Math.abs(Number.parseInt(lines[0] ?? "", 10));
  if (!Number.isSafeInteger(pid) || pid <= 1) return null;
  return { pid, isReady: lines[STATUS_LINE]?.trim() === "ready" };
}
