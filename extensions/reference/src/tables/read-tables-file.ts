import { readFileSync } from "node:fs";
import type { RecordedExchange, TablesFile } from "./table-description.ts";
import { type DescribedTable, joinTexts } from "./table-texts.ts";

/** Read on each call, because the generator writes the file before it renders the pages. */
export function readTablesFile(): TablesFile {
  return JSON.parse(readFileSync(new URL("../assets/tables.json", import.meta.url), "utf8")) as TablesFile;
}

export interface DescribedTables {
  readonly tables: readonly DescribedTable[];
  readonly exchanges: readonly RecordedExchange[];
}

/** The tables with their texts. Throws when a table or a column has no text. */
export function readDescribedTables(): DescribedTables {
  const { tables, exchanges } = readTablesFile();
  return { tables: joinTexts(tables), exchanges };
}
