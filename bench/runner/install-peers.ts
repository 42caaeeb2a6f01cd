import { execFileSync } from "node:child_process";
import { resolve } from "node:path";

/** Installs the products that are compared, at the versions of the lock file. */
export function installPeers(): void {
  execFileSync("npm", ["ci", "--prefix", resolve(import.meta.dirname, "..")], { stdio: "inherit" });
}
