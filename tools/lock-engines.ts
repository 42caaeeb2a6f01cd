import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { findEngines, removeEngines } from "./package/lock-engines.ts";
import { findUndecidedScripts } from "./package/lock-scripts.ts";

/** Folders with a lock file of their own: the workspace, and the benchmarks, which are installed separately. */
const FOLDERS = ["", "bench"];

// Removes the engines from the lock files; with --check, only reports them, and install scripts that npm would ask about.
const root = resolve(`${import.meta.dirname}/..`);
const faults: string[] = [];
for (const folder of FOLDERS) {
  const path = join(folder, "package-lock.json");
  const text = readFileSync(join(root, path), "utf8");
  if (!process.argv.includes("--check")) {
    writeFileSync(join(root, path), removeEngines(text));
    continue;
  }
  for (const name of findEngines(text))
    faults.push(
      `${path}: ${name} has engines. npm warns about them on Node.js 20; "npm run generate -- engines" removes them`,
    );
  const manifest = join(folder, "package.json");
  for (const name of findUndecidedScripts(text, readFileSync(join(root, manifest), "utf8")))
    faults.push(
      `${path}: ${name} has an install script. npm asks about it; allowScripts in ${manifest} must allow or deny it`,
    );
}
for (const fault of faults) console.error(fault);
if (faults.length > 0) process.exitCode = 1;
