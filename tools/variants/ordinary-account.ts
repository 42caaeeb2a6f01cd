import { accessSync, constants, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import type { Variant } from "./variant.ts";

export interface Account {
  readonly uid: number;
  readonly gid: number;
}

const ACCOUNT = "nobody";

/** Names whose use in a test file shows that it behaves differently for root and an ordinary account. */
export const ACCOUNT_SIGNS = /\b(?:getuid|geteuid|cannotBeNobody)\b/;

export const variant: Variant = {
  title: `as ${ACCOUNT}`,
  module: import.meta.filename,
  setUp: {},
  appliesTo: (_file, text) => process.getuid?.() === 0 && ACCOUNT_SIGNS.test(text),
  enter(files) {
    const found = findOrdinaryAccount();
    if (found === null) return `there is no account ${ACCOUNT}`;
    try {
      process.setgroups?.([]);
      process.setgid?.(found.gid);
      process.setuid?.(found.uid);
      accessSync(process.execPath, constants.X_OK);
      for (const file of files) accessSync(file, constants.R_OK);
    } catch (error) {
      return `${ACCOUNT} cannot run this: ${error instanceof Error ? error.message : String(error)}`;
    }
    process.env["HOME"] = tmpdir();
    return false;
  },
};

/** Returns null if the machine has none. */
export function findOrdinaryAccount(): Account | null {
  const [, , uid, gid] =
    readFileSync("/etc/passwd", "utf8")
      .split("\n")
      .find((line) => line.startsWith(`${ACCOUNT}:`))
      ?.split(":") ?? [];
  return uid === undefined || gid === undefined ? null : { uid: Number(uid), gid: Number(gid) };
}
