import { resolve } from "node:path";
import { findFaults } from "./architecture/find-faults.ts";
import { WORKSPACE_IMPORTS } from "./architecture/modules.ts";
import { RELEASED_MIGRATIONS } from "./architecture/rules/released-migrations.ts";
import { readTexts } from "./read-texts.ts";

const root = resolve(process.argv[2] ?? `${import.meta.dirname}/..`);
const workspaces = Object.keys(WORKSPACE_IMPORTS).join(",");
const texts = readTexts(root, [
  `{${workspaces}}/**/*.{ts,tsx,js,sql}`,
  "{libraries,clients,extensions}/*/README.md",
  RELEASED_MIGRATIONS,
]);
if (texts.size === 0) {
  console.error(`no sources found below ${root}`);
  process.exitCode = 1;
}
const faults = findFaults(texts);
for (const { path, line, message } of faults) console.error(`${path}:${line}: ${message}`);
if (faults.length > 0) process.exitCode = 1;
