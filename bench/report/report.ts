import { writeFileSync } from "node:fs";
import { renderTable, type Table } from "./table.ts";

/** Where a part leaves its tables. */
export interface Report {
  add(...tables: readonly Table[]): void;
}

/**
 * Prints each table as soon as there is one, and keeps a file up to date with all of them where one is named, so that a part which
 * fails later leaves what it has.
 */
export function openReport(file: string | undefined): Report {
  const tables: Table[] = [];
  return {
    add: (...more) => {
      tables.push(...more);
      for (const table of more) process.stdout.write(`${table.title}\n\n${renderTable(table)}\n\n`);
      // What is no number is written as one that is read as missing.
      if (file !== undefined) writeFileSync(file, JSON.stringify(tables));
    },
  };
}
