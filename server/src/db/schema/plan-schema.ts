import type { History } from "../sql/schema-history.ts";
import { type HashedFile, isContractName, type Migration, type SchemaFiles } from "./schema-files.ts";

export interface SchemaPlan {
  readonly migrations: readonly Migration[];
  readonly functions: readonly HashedFile[];
  readonly comments: readonly HashedFile[];
  /** Pending contract migrations that nodes of an older release prevent. */
  readonly waiting: readonly string[];
  /** What the database has and the files do not: a newer release made it. */
  readonly unknown: readonly string[];
  /** Why the history cannot be continued, when it cannot. */
  readonly fault: string | null;
}

/** `oldestLevel` is the lowest level of the nodes that run; null when none does. */
export function planSchema(files: SchemaFiles, history: History, oldestLevel: number | null = null): SchemaPlan {
  const applied = history.migrations;
  const known = new Set(files.migrations.map(({ name }) => name));
  const pending = files.migrations.filter(({ name }) => !applied.has(name));
  const waits = ({ isContract, number }: Migration): boolean =>
    isContract && oldestLevel !== null && oldestLevel < number;
  const unknown = [...applied.keys()].filter((name) => !known.has(name)).sort();
  // The functions and comments of a newer release belong to its tables.
  const isNews = ({ name, hash }: HashedFile): boolean =>
    unknown.length === 0 && history.hashedFiles.get(name) !== hash;
  return {
    migrations: pending.filter((file) => !waits(file)),
    waiting: pending.filter(waits).map(({ name }) => name),
    functions: files.functions.filter(isNews),
    comments: files.comments.filter(isNews),
    unknown,
    fault: findFault(files.migrations, applied, unknown),
  };
}

/** The names of what the plan applies. */
export function plannedNames({ migrations, functions, comments }: SchemaPlan): string[] {
  return [...migrations, ...functions, ...comments].map(({ name }) => name);
}

function findFault(
  known: readonly Migration[],
  applied: ReadonlyMap<string, string>,
  unknown: readonly string[],
): string | null {
  const contracts = unknown.filter(isContractName);
  if (contracts.length > 0) return describeContracts(contracts);
  const last = [...applied.keys()].sort().at(-1) ?? "";
  const differs = ({ name, hash, isContract }: Migration): boolean =>
    applied.has(name) ? applied.get(name) !== hash : name < last && !isContract;
  const differing = known.filter(differs).map(({ name }) => name);
  if (differing.length === 0) return null;
  return (
    `Another build of Swarmbase made this database: its migrations differ (${differing.join(", ")}). Use that build, or start this ` +
    "one with an empty data directory or database. Nothing was changed."
  );
}

/** Why a program that does not know these migrations cannot use the database. */
export function describeContracts(names: readonly string[]): string {
  return (
    `A newer release has removed from the database what this release uses (${names.join(", ")}). Use the newer release, or restore ` +
    "a backup that was made before it. Nothing was changed."
  );
}
