import type { ClientBase } from "pg";
import { planSchema } from "./schema/plan-schema.ts";
import { readSchemaFiles } from "./schema/schema-files.ts";
import { selectHistory } from "./sql/schema-history.ts";

export interface MigrationComparison {
  /** What the program would apply. */
  readonly pending: readonly string[];
  /** What the database has and the program does not know: a newer release made it. */
  readonly unknown: readonly string[];
}

/** For whoever may read the schema's own tables. */
export async function compareMigrations(client: ClientBase): Promise<MigrationComparison> {
  const { legacy, migrations, functions, unknown } = planSchema(await readSchemaFiles(), await selectHistory(client));
  return { pending: [...legacy, ...migrations, ...functions].map(({ name }) => name), unknown };
}
