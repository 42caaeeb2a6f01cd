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
  for (const name of PREFERRED_NAMES) {
    const found = accounts.find((account) => account.name === name);
    if (found !== undefined) return found;
  }
  const [first] = accounts;
  if (first !== undefined) return first;
  throw new EmbeddedError(
    "PostgreSQL does not run as root, and /etc/passwd has no other account to lend it. " +
      "Start the service as a normal user, add an account, or set DATABASE_URL.",
  );
}

function parsePasswd(passwd: string): Account[] {
  const accounts: Account[] = [];
  for (const line of passwd.split("\n")) {
    const [name, , uid, gid] = line.split(":");
    if (name === undefined || !/^\d+$/.test(uid ?? "") || !/^\d+$/.test(gid ?? "")) continue;
    accounts.push({ name, uid: Number(uid), gid: Number(gid) });
  }
  return accounts;
}
