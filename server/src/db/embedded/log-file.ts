import { closeSync, constants, fstatSync, ftruncateSync, openSync, readSync, renameSync } from "node:fs";
import { join } from "node:path";

export type LogFile = ReturnType<typeof openLogFile>;

const MAX_BYTES = 8 * 1024 * 1024;
const CHECK_EVERY_MS = 10 * 60 * 1000;
const TAIL_BYTES = 4096;
const TAIL_LINES = 12;

/** The log of PostgreSQL and its watchdog. */
export function openLogFile(dataDir: string) {
  const path = join(dataDir, "postgres.log");
  let fd = openForAppending(path);
  if (fstatSync(fd).size > MAX_BYTES) {
    closeSync(fd);
    renameSync(path, `${path}.1`);
    fd = openForAppending(path);
  }
  // All writers append, so the file can be truncated while PostgreSQL has it open.
  const timer = setInterval(() => {
    if (fstatSync(fd).size > MAX_BYTES) ftruncateSync(fd);
  }, CHECK_EVERY_MS);
  timer.unref();
  return {
    path,
    fd,
    size: () => fstatSync(fd).size,
    /** The last lines written since an earlier size. */
    tailSince: (size: number) => readTail(fd, size),
    close() {
      clearInterval(timer);
      closeSync(fd);
    },
  };
}

function openForAppending(path: string): number {
  // As root we must not write through a link of another account.
  const flags = constants.O_RDWR | constants.O_CREAT | constants.O_APPEND | (constants.O_NOFOLLOW ?? 0);
  return openSync(path, flags, 0o600);
}

function readTail(fd: number, since: number): string {
  const end = fstatSync(fd).size;
  const start = Math.max(Math.min(since, end), end - TAIL_BYTES);
  const bytes = Buffer.alloc(end - start);
  readSync(fd, bytes, 0, bytes.length, start);
  return bytes.toString("utf8").trimEnd().split("\n").slice(-TAIL_LINES).join("\n");
}
