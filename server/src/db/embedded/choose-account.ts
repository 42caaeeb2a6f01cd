import { readFile, stat } from "node:fs/promises";
import { EmbeddedError } from "./embedded-error.ts";

export interface Account {
  readonly uid: number;
  readonly gid: number;
  readonly name: string;
}

const PREFERRED_NAMES = ["postgres", "nobody"];

/**
 * The account that PostgreSQL runs as, or null for our own. PostgreSQL does not run as root, so as root we choose an existing
 * unprivileged account: the owner of the cluster, else a well-known one, else the first that is not root.
 */
export function chooseAccount(o: {
  readonly ownUid: number | null;
  readonly passwd: string;
  readonly clusterOwner: { readonly uid: number; readonly gid: number } | null;
}): Account | null {
  if (o.ownUid !== 0) return null;
  const accounts = parsePasswd(o.passwd).filter((account) => account.uid > 0);
  if (o.clusterOwner !== null && o.clusterOwner.uid > 0) {
    const { uid, gid } = o.clusterOwner;
    return accounts.find((account) => account.uid === uid) ?? { uid, gid, name: String(uid) };
  }
  const preferred = PREFERRED_NAMES.flatMap((name) => accounts.find((account) => account.name === name) ?? []);
  const [first] = [...preferred, ...accounts];
  if (first !== undefined) return first;
  throw new EmbeddedError(
    "PostgreSQL does not run as root, and /etc/passwd has no other account to lend it. " +
      "Start the service as a normal user, add an account, or set DATABASE_URL.",
  );
}

/** The account for the cluster in a folder, which may not exist yet. */
export async function findClusterAccount(clusterDir: string): Promise<Account | null> {
  const ownUid = process.getuid?.() ?? null;
  const passwd = ownUid === 0 ? await readFile("/etc/passwd", "utf8") : "";
  return chooseAccount({ ownUid, passwd, clusterOwner: await stat(clusterDir).catch(() => null) });
}

function parsePasswd(passwd: string): Account[] {
  const rows = passwd.matchAll(/^([^:\n]*):[^:\n]*:(\d+):(\d+)(?=:|$)/gm);
  return Array.from(rows, ([, name = "", uid, gid]) => ({ name, uid: Number(uid), gid: Number(gid) }));
}
