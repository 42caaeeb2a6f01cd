import type { ClientBase } from "pg";
import { findOpenTables, listObjectsOutside } from "../sql/extension-objects.ts";
import { selectHistory } from "../sql/schema-history.ts";
import { selectOldestLevel } from "../sql/schema-levels.ts";
import { planSchema, type SchemaPlan } from "./plan-schema.ts";
import { readExtensionFiles } from "./schema-files.ts";

/** The SQL files of an extension, and the schema that they are applied in. */
export interface ExtensionSchema {
  /** A plain identifier that begins with `ext_`. */
  readonly schema: string;
  /** Has `migrations/` and optionally `functions/`. */
  readonly dir: string;
}

export interface ExtensionPlan {
  readonly schema: string;
  readonly plan: SchemaPlan;
}

const SCHEMA = /^ext_[a-z0-9_]+$/;

export async function planExtension(client: ClientBase, { schema, dir }: ExtensionSchema): Promise<ExtensionPlan> {
  if (!SCHEMA.test(schema)) throw new Error(`${schema} is not the name of an extension's schema`);
  const files = await readExtensionFiles(dir);
  const plan = planSchema(files, await selectHistory(client, schema), await selectOldestLevel(client, schema));
  return { schema, plan: { ...plan, fault: plan.fault === null ? null : `${schema}: ${plan.fault}` } };
}

/** Runs `apply` and throws when it left objects outside of the extension's schema, or a table without row-level security. */
export async function applyExtension(
  client: ClientBase,
  { schema }: ExtensionPlan,
  apply: () => Promise<void>,
): Promise<void> {
  const before = await listObjectsOutside(client, schema);
  await apply();
  const after = await listObjectsOutside(client, schema);
  const changed = [
    ...before.filter((name) => !after.includes(name)),
    ...after.filter((name) => !before.includes(name)),
  ];
  if (changed.length > 0)
    throw new Error(`The migrations of ${schema} may create and drop nothing outside of it: ${changed.join(", ")}`);
  const open = await findOpenTables(client, schema);
  if (open.length > 0) throw new Error(`These tables have no row-level security: ${open.join(", ")}`);
}
