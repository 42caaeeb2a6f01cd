import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { FUNCTION_TABLE } from "../server/src/functions/index.ts";
import { WORKSPACE_IMPORTS } from "./architecture/modules.ts";
import { findDocumentFaults } from "./documents/find-document-faults.ts";
import { GENERATED_PAGES } from "./documents/generated-pages.ts";
import { listPaths, readTexts } from "./read-texts.ts";
import { GENERATED_FOLDERS } from "./sdk/sdk-files.ts";

const WRITTEN_BY_PROGRAMS = ["server/schema.sql", "package-lock.json", ...GENERATED_FOLDERS, "docs/pictures"];

const root = resolve(process.argv[2] ?? `${import.meta.dirname}/..`);
const { scripts = {} } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { scripts?: object };
const paths = listPaths(root, ["**/*"]);
const faults = findDocumentFaults({
  paths,
  sources: readTexts(root, [`{${Object.keys(WORKSPACE_IMPORTS).join(",")}}/**/*.{ts,tsx}`]),
  isGenerated: (path) =>
    path in GENERATED_PAGES || WRITTEN_BY_PROGRAMS.some((written) => `${path}/`.startsWith(`${written}/`)),
  pages: readTexts(root, ["**/*.md"]),
  acceptance: readTexts(root, ["acceptance/*.test.ts"]),
  scripts: new Set(Object.keys(scripts)),
  generated: GENERATED_PAGES,
  mentions: { "docs/reference/functions.md": FUNCTION_TABLE.map(({ name }) => `\n## ${name}\n`) },
  exists: (path) => existsSync(join(root, path)),
  readSource: (path) => (existsSync(join(root, path)) ? readFileSync(join(root, path), "utf8") : null),
});
for (const fault of faults) console.error(fault);
if (faults.length > 0) process.exitCode = 1;
