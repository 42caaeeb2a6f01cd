/** The generated description of the tables, relative to the root of the repository. */
export const TABLES_FILE = "extensions/reference/src/assets/tables.json";
