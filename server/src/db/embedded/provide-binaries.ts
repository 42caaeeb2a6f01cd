import { randomBytes } from "node:crypto";
import {
  chmodSync,
  constants,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { join } from "node:path";
import { canReach } from "./can-reach.ts";
import type { Account } from "./choose-account.ts";
import { linkLibraries } from "./link-libraries.ts";
import type { BinaryPackage } from "./locate-binaries.ts";

export interface Binaries {
  readonly postgres: string;
  readonly initdb: string;
  readonly pgCtl: string;
}

/** Returns the package itself when the account of PostgreSQL can use it, else a copy in the home of the cluster. */
export async function provideBinaries(o: {
  readonly binaryPackage: BinaryPackage;
  readonly home: string;
  readonly account: Account | null;
}): Promise<Binaries> {
  const { packageDir } = o.binaryPackage;
  if ((await linkLibraries(packageDir)) && isUsable(packageDir, o.account)) return binariesIn(packageDir);
  return binariesIn(await copyPackage(o.binaryPackage, o.home));
}

/** Checks one file per folder: an installation under a strict umask closes all files alike. */
function isUsable(packageDir: string, account: Account | null): boolean {
  if (account === null) return true;
  return ["bin/postgres", "lib/libpq.so.5", "share/postgresql/postgres.bki"].every((file) =>
    canReach(join(packageDir, "native", file), account),
  );
}

async function copyPackage(binaryPackage: BinaryPackage, home: string): Promise<string> {
  const folder = join(home, "binaries");
  const target = join(folder, binaryPackage.version);
  if (existsSync(target) && isWhole(binaryPackage.packageDir, target)) return target;
  mkdirSync(folder, { recursive: true, mode: 0o755 });
  // Other versions and incomplete copies.
  for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true, force: true });
  const temporary = `${target}.new-${randomBytes(6).toString("hex")}`;
  copyTree(join(binaryPackage.packageDir, "native"), join(temporary, "native"));
  chmodSync(folder, 0o755);
  chmodSync(temporary, 0o755);
  await linkLibraries(temporary);
  renameSync(temporary, target);
  return target;
}

/** A power failure soon after copying can leave empty files behind. */
function isWhole(packageDir: string, target: string): boolean {
  return listFiles(join(packageDir, "native")).every((file) => {
    const size = statSync(join(packageDir, "native", file)).size;
    return statSync(join(target, "native", file), { throwIfNoEntry: false })?.size === size;
  });
}

function copyTree(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  chmodSync(to, 0o755);
  for (const file of listFiles(from)) {
    mkdirSync(join(to, file, ".."), { recursive: true });
    copyFileSync(join(from, file), join(to, file), constants.COPYFILE_FICLONE);
    chmodSync(join(to, file), file.startsWith("bin/") ? 0o755 : 0o644);
  }
  for (const entry of readdirSync(to, { withFileTypes: true, recursive: true })) {
    if (entry.isDirectory()) chmodSync(join(entry.parentPath, entry.name), 0o755);
  }
}

/** Creates links again, and leaves out what only compilers need. */
function listFiles(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith(".a"))
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
}

function binariesIn(packageDir: string): Binaries {
  const suffix = process.platform === "win32" ? ".exe" : "";
  const program = (name: string): string => join(packageDir, "native", "bin", name + suffix);
  return { postgres: program("postgres"), initdb: program("initdb"), pgCtl: program("pg_ctl") };
}
