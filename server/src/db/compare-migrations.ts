import { readdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { ClientBase } from "pg";
import { selectMigrations } from "./sql/select-migrations.ts";

const MIGRATIONS_DIR = fileURLToPath(new URL("../../migrations/", import.meta.url));

export interface MigrationComparison {
  /** What the program would apply. */
  readonly pending: readonly string[];
  /** What the database has and the program does not know: a newer release made it. */
  readonly unknown: readonly string[];
}

/** For whoever may read the schema's own tables. */
export async function compareMigrations(client: ClientBase): Promise<MigrationComparison> {
  const names = await readdir(MIGRATIONS_DIR);
  const known = names
    .filter((name) => name.endsWith(".sql"))
    .map((name) => name.slice(0, -".sql".length))
    .sort();
  const applied = new Set(await selectMigrations(client));
  return {
    pending: known.filter((name) => !applied.has(name)),
    unknown: [...applied].filter((name) => !known.includes(name)).sort(),
  };
}
