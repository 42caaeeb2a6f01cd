import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { TablesFile } from "@swarmbase/reference";
import { renderTablesFile } from "./tables/render-tables-file.ts";
import { TABLES_FILE } from "./tables/tables-file.ts";

const root = resolve(process.argv[2] ?? `${import.meta.dirname}/..`);
const stored = JSON.parse(readFileSync(join(import.meta.dirname, "..", TABLES_FILE), "utf8")) as TablesFile;
write(TABLES_FILE, await renderTablesFile(stored, (text) => write(TABLES_FILE, text)));
// Loaded only now, because the pages are rendered from the file.
const { GENERATED_PAGES } = await import("./documents/generated-pages.ts");
for (const [path, render] of Object.entries(GENERATED_PAGES)) write(path, render());

function write(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
  console.log(`wrote ${path}`);
}
