import type { ClientBase } from "pg";
import { type ExtensionSchema, planExtension } from "./schema/extension-schemas.ts";
import { namesOf, planSchema } from "./schema/plan-schema.ts";
import { readSchemaFiles } from "./schema/schema-files.ts";
import { selectHistory } from "./sql/schema-history.ts";

export interface MigrationComparison {
  /** What the program would apply. */
  readonly pending: readonly string[];
  /** What the database has and the program does not know: a newer release created it. */
  readonly unknown: readonly string[];
}

/** Requires the right to read the tables of the history. */
export async function compareMigrations(
  client: ClientBase,
  extensions: readonly ExtensionSchema[] = [],
): Promise<MigrationComparison> {
  const core = planSchema(await readSchemaFiles(), await selectHistory(client));
  const pending = namesOf(core);
  const unknown = [...core.unknown];
  for (const extension of extensions) {
    const { schema, plan } = await planExtension(client, extension);
    pending.push(...namesOf(plan).map((name) => `${schema}/${name}`));
    unknown.push(...plan.unknown.map((name) => `${schema}/${name}`));
  }
  return { pending, unknown };
}
