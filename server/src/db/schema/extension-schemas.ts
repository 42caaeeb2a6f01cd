import pg, { type ClientBase } from "pg";
import { findKeylessTables, findOpenTables, listObjectsOutside } from "../sql/extension-objects.ts";
import { selectHistory } from "../sql/schema-history.ts";
import { selectOldestLevel } from "../sql/schema-levels.ts";
import { planSchema, type SchemaPlan } from "./plan-schema.ts";
import { readSchemaFiles } from "./schema-files.ts";

/** The SQL files of an extension, and the schema that they are applied in. */
export interface ExtensionSchema {
  /** A plain identifier that begins with `ext_`. */
  readonly schema: string;
  /** Has `migrations/` and optionally `functions/` and `comments/`. */
  readonly dir: string;
  /** What the migrations create in `public`. */
  readonly tables?: readonly string[];
}

export interface ExtensionPlan {
  readonly schema: string;
  readonly tables: readonly string[];
  readonly plan: SchemaPlan;
}

const SCHEMA = /^ext_[a-z0-9_]+$/;

export async function planExtension(
  client: ClientBase,
  { schema, dir, tables = [] }: ExtensionSchema,
): Promise<ExtensionPlan> {
  if (!SCHEMA.test(schema)) throw new Error(`${schema} is not the name of an extension's schema`);
  const files = await readSchemaFiles(dir);
  const plan = planSchema(files, await selectHistory(client, schema), await selectOldestLevel(client, schema));
  return { schema, tables, plan: { ...plan, fault: plan.fault === null ? null : `${schema}: ${plan.fault}` } };
}

/**
 * Runs `apply` and throws when it left objects outside of the extension's schema other than its tables in `public`, a table
 * without row-level security, or a table in `public` without rules for API keys.
 */
export async function applyExtension(
  client: ClientBase,
  { schema, tables }: ExtensionPlan,
  apply: () => Promise<void>,
): Promise<void> {
  const before = await listObjectsOutside(client, schema, tables);
  await apply().catch((error: unknown) => {
    throw explainTakenName(error, schema);
  });
  const after = await listObjectsOutside(client, schema, tables);
  const changed = [
    ...before.filter((name) => !after.includes(name)),
    ...after.filter((name) => !before.includes(name)),
  ];
  if (changed.length > 0)
    throw new Error(`The migrations of ${schema} may create and drop nothing outside of it: ${changed.join(", ")}`);
  const open = await findOpenTables(client, schema, tables);
  if (open.length > 0) throw new Error(`These tables have no row-level security: ${open.join(", ")}`);
  const keyless = await findKeylessTables(client, tables);
  if (keyless.length > 0)
    throw new Error(`These tables need restrictive policies for the role api_key: ${keyless.join(", ")}`);
}

/** SQLSTATE duplicate_table, which indexes and views have too. */
const TAKEN = "42P07";

function explainTakenName(error: unknown, schema: string): unknown {
  if (!(error instanceof pg.DatabaseError) || error.code !== TAKEN) return error;
  const [, name = "of a table"] = /relation "([^"]+)"/.exec(error.message) ?? [];
  const extension = schema.replace("ext_", "").replaceAll("_", "-");
  return new Error(
    `The extension ${extension} needs the name ${name}, which the database has already: rename it, or take ${extension} out of EXTENSIONS.`,
    { cause: error },
  );
}
