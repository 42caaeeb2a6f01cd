import { readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { findEngines, removeEngines } from "./package/lock-engines.ts";

// Removes the engines from package-lock.json; with --check, only reports them.
const path = resolve(`${import.meta.dirname}/../package-lock.json`);
const text = readFileSync(path, "utf8");
if (!process.argv.includes("--check")) {
  writeFileSync(path, removeEngines(text));
} else {
  const found = findEngines(text);
  for (const name of found) console.error(`package-lock.json: ${name} has engines`);
  if (found.length > 0) {
    console.error("npm warns about them on Node.js 20. To remove them: npm run lock:engines");
    process.exitCode = 1;
  }
}
