import { writeFileSync } from "node:fs";
import { renderTable, type Table } from "./table.ts";

/** The file for the tables of a part. */
export interface Report {
  add(...tables: readonly Table[]): void;
}

/**
 * Prints each table as soon as it is complete, and updates the file with all of them if one is named, so that a part
 * which fails later leaves its results.
 */
export function openReport(file: string | undefined): Report {
  const tables: Table[] = [];
  return {
    add: (...more) => {
      tables.push(...more);
      for (const table of more) process.stdout.write(`${table.title}\n\n${renderTable(table)}\n\n`);
      // NaN is written as a value that is read as missing.
      if (file !== undefined) writeFileSync(file, JSON.stringify(tables));
    },
  };
}
