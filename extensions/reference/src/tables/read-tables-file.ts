import { readFileSync } from "node:fs";
import type { TablesFile } from "./table-description.ts";

/** Read on each call, because the generator writes the file before it renders the pages. */
export function readTablesFile(): TablesFile {
  return JSON.parse(readFileSync(new URL("../assets/tables.json", import.meta.url), "utf8")) as TablesFile;
}
