import type { ClientBase } from "pg";
import { type ExtensionSchema, planExtension } from "./schema/extension-schemas.ts";
import { plannedNames, planSchema } from "./schema/plan-schema.ts";
import { isContractName, readSchemaFiles } from "./schema/schema-files.ts";
import { selectHistory } from "./sql/schema-history.ts";
import { selectOldestLevel } from "./sql/schema-levels.ts";

export interface MigrationComparison {
  /** What the program would apply. */
  readonly pending: readonly string[];
  /** What it would apply if no node of an older release were running. */
  readonly waiting: readonly string[];
  /** What the database has and the program does not know: a newer release created it. */
  readonly unknown: readonly string[];
  /** Whether this release can use the database in spite of what is unknown. */
  readonly isUsable: boolean;
  /** Why the program can neither use the database nor bring it up to date. */
  readonly fault: string | null;
}

/** Requires the right to read the tables of the history. */
export async function compareMigrations(
  client: ClientBase,
  extensions: readonly ExtensionSchema[] = [],
): Promise<MigrationComparison> {
  const core = planSchema(await readSchemaFiles(), await selectHistory(client), await selectOldestLevel(client));
  const pending = plannedNames(core);
  const waiting = [...core.waiting];
  const unknown = [...core.unknown];
  const faults = [core.fault];
  for (const extension of extensions) {
    const { schema, plan } = await planExtension(client, extension);
    pending.push(...plannedNames(plan).map((name) => `${schema}/${name}`));
    waiting.push(...plan.waiting.map((name) => `${schema}/${name}`));
    faults.push(plan.fault);
    unknown.push(...plan.unknown.map((name) => `${schema}/${name}`));
  }
  return {
    pending,
    waiting,
    unknown,
    isUsable: !unknown.some(isContractName),
    fault: faults.find((fault) => fault !== null) ?? null,
  };
}
