import { existsSync, readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { loadExtensions } from "../../src/extensions/index.ts";
import type { TableOperations } from "./operations/rows.ts";

/** Every extension of this repository, and the one that the tests of the port use. */
const folder = new URL("../../../extensions/", import.meta.url);
const names = [
  ...readdirSync(folder).filter((name) => existsSync(new URL(`${name}/src/extension.ts`, folder))),
  fileURLToPath(new URL("../extensions/fixtures/notes/index.ts", import.meta.url)),
];
const loaded = await loadExtensions({ names, environment: {} });

export const EXTENSION_SCHEMAS = loaded.flatMap(({ schema }) => schema ?? []);

/** Where the runner remembers what it applied: for nobody but the owner of the schema. */
const HISTORY = EXTENSION_SCHEMAS.flatMap(({ schema }) => [`${schema}.migrations`, `${schema}.function_files`]);
const FOUR = ["select", "insert", "update", "delete"];

export const EXTENSION_MATRIX = [
  ...loaded.flatMap(({ extension }) => extension.access?.matrix ?? []),
  ...HISTORY.flatMap((table) => FOUR.map((operation) => `${table} | ${operation} | ${"no ".repeat(9)}`)),
].join("\n");

export const EXTENSION_KEY_MATRIX = loaded.map(({ extension }) => extension.access?.keyMatrix ?? "").join("");

export const EXTENSION_ROWS = loaded.flatMap(({ extension }) => extension.access?.rows ?? []);

export const EXTENSION_OPERATIONS: Readonly<Record<string, TableOperations>> = Object.fromEntries([
  ...loaded.flatMap(({ extension }) =>
    Object.entries(extension.access?.statements ?? {}).map(([table, statements]) => [table, toOperations(statements)]),
  ),
  ...HISTORY.map((table) => [
    table,
    toOperations({
      select: `select 1 from ${table}`,
      insert: `insert into ${table} (name) values ('x')`,
      update: `update ${table} set name = 'x'`,
      delete: `delete from ${table}`,
    }),
  ]),
]);

function toOperations(statements: Readonly<Record<string, string>>): TableOperations {
  return Object.fromEntries(Object.entries(statements).map(([name, statement]) => [name, { statement }]));
}
