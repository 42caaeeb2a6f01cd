import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { WORKSPACE_IMPORTS } from "./architecture/modules.ts";
import { findDocumentFaults } from "./documents/find-document-faults.ts";
import { GENERATED_PAGES } from "./documents/generated-pages.ts";
import { listMentions } from "./documents/reference-mentions.ts";
import { listPaths, readTexts } from "./read-texts.ts";
import { GENERATED_FOLDERS } from "./sdk/sdk-files.ts";
import { TABLES_FILE } from "./tables/tables-file.ts";

const WRITTEN_BY_PROGRAMS = [
  "server/schema.sql",
  "package-lock.json",
  ...GENERATED_FOLDERS,
  "docs/pictures",
  "docs/reference/tables",
  TABLES_FILE,
];

const root = resolve(process.argv[2] ?? `${import.meta.dirname}/..`);
/** Pages also show scripts of an app that create-swarmbase creates. */
const scripts = ["package.json", "clients/create-swarmbase/template/package.json"].flatMap((path) => {
  if (!existsSync(join(root, path))) return [];
  const manifest = JSON.parse(readFileSync(join(root, path), "utf8")) as { readonly scripts?: object };
  return Object.keys(manifest.scripts ?? {});
});
const paths = listPaths(root, ["**/*"]);
const faults = findDocumentFaults({
  paths,
  sources: readTexts(root, [`{${Object.keys(WORKSPACE_IMPORTS).join(",")}}/**/*.{ts,tsx}`]),
  isGenerated: (path) =>
    path in GENERATED_PAGES || WRITTEN_BY_PROGRAMS.some((written) => `${path}/`.startsWith(`${written}/`)),
  pages: readTexts(root, ["**/*.md"]),
  acceptance: readTexts(root, ["acceptance/*.test.ts"]),
  scripts: new Set(scripts),
  generated: GENERATED_PAGES,
  mentions: listMentions(readTexts(root, ["server/{src,functions}/**/*.{ts,sql}"])),
  exists: (path) => existsSync(join(root, path)),
  readSource: (path) => (existsSync(join(root, path)) ? readFileSync(join(root, path), "utf8") : null),
});
for (const fault of faults) console.error(fault);
if (faults.length > 0) process.exitCode = 1;
