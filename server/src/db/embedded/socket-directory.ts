import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { canReach } from "./can-reach.ts";
import type { Account } from "./choose-account.ts";
import { EmbeddedError } from "./embedded-error.ts";

interface SocketDirectory {
  readonly path: string;
  /** Outside the home of the cluster, so it is removed after use. */
  readonly isTemporary: boolean;
}

const MAX_SOCKET_PATH_BYTES = 103;
const LONGEST_SOCKET_NAME = "/.s.PGSQL.65535";

export function fitsSocketPath(folder: string): boolean {
  return Buffer.byteLength(folder + LONGEST_SOCKET_NAME) <= MAX_SOCKET_PATH_BYTES;
}

/** A folder that only the account of PostgreSQL (and root) can enter. Null without unix sockets. */
export function makeSocketDirectory(o: {
  readonly home: string;
  readonly account: Account | null;
  readonly platform: NodeJS.Platform;
}): SocketDirectory | null {
  if (o.platform === "win32") return null;
  const inHome = join(o.home, "socket");
  const isTemporary = !fitsSocketPath(inHome);
  const path = isTemporary ? makeTemporary(o.account) : inHome;
  if (!isTemporary && !existsSync(path)) mkdirSync(path, { mode: 0o700 });
  const ownUid = process.getuid?.() ?? -1;
  const wantedUid = o.account?.uid ?? ownUid;
  const found = lstatSync(path);
  if (!found.isDirectory() || (found.uid !== ownUid && found.uid !== wantedUid)) {
    throw new EmbeddedError(`${path} was not made by this account and cannot hold PostgreSQL's socket. Remove it.`);
  }
  if (o.account !== null) chownSync(path, o.account.uid, o.account.gid);
  chmodSync(path, 0o700);
  emptySocketDirectory(path);
  return { path, isTemporary };
}

/** The files of a killed PostgreSQL name a process id that may belong to another process now. */
export function emptySocketDirectory(path: string): void {
  for (const name of readdirSync(path)) rmSync(join(path, name), { force: true });
}

/** Removes the folder of an earlier start that was killed. */
export function removeTemporarySocketDirectory(path: string): void {
  const isOurs = /^swarmbase-[A-Za-z0-9]{6}$/.test(path.slice(path.lastIndexOf("/") + 1));
  if (isOurs) rmSync(path, { recursive: true, force: true });
}

function makeTemporary(account: Account | null): string {
  for (const parent of [tmpdir(), "/tmp"]) {
    if (!fitsSocketPath(join(parent, "swarmbase-XXXXXX")) || canOthersReplaceEntries(parent)) continue;
    if (account !== null && !canReach(parent, account)) continue;
    return mkdtempSync(join(parent, "swarmbase-"));
  }
  throw new EmbeddedError(
    "No folder for PostgreSQL's socket: the path of DATA_DIR is too long, and so is the temporary folder's.",
  );
}

function canOthersReplaceEntries(folder: string): boolean {
  const { mode } = statSync(folder);
  return (mode & 0o022) !== 0 && (mode & 0o1000) === 0;
}
