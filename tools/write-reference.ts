import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { renderTablesFile } from "./tables/render-tables-file.ts";
import { TABLES_FILE } from "./tables/tables-file.ts";

const root = resolve(process.argv[2] ?? `${import.meta.dirname}/..`);
write(TABLES_FILE, await renderTablesFile());
// Loaded only now, because the pages are rendered from the file.
const { GENERATED_PAGES } = await import("./documents/generated-pages.ts");
for (const [path, render] of Object.entries(GENERATED_PAGES)) write(path, render());

function write(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
  console.log(`wrote ${path}`);
}
