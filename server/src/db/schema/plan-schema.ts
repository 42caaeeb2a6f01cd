import type { History } from "../sql/schema-history.ts";
import { LEGACY_EQUALS, LEGACY_REQUIRED } from "./legacy-history.ts";
import { type FunctionFile, isContractName, type Migration, type SchemaFiles, type SqlFile } from "./schema-files.ts";

export interface SchemaPlan {
  /** Names that replace the history of a database with the legacy numbering; empty for any other. */
  readonly carriedOver: readonly string[];
  readonly legacy: readonly SqlFile[];
  readonly migrations: readonly Migration[];
  readonly functions: readonly FunctionFile[];
  /** Pending contract migrations that nodes of an older release prevent. */
  readonly waiting: readonly string[];
  /** What the database has and the files do not: a newer release made it. */
  readonly unknown: readonly string[];
  /** Why the history cannot be continued, when it cannot. */
  readonly fault: string | null;
}

/** `oldestLevel` is the lowest level of the nodes that run; null when none does. */
export function planSchema(files: SchemaFiles, history: History, oldestLevel: number | null = null): SchemaPlan {
  const applied = new Set(history.migrations);
  const known = new Set(files.migrations.map(({ name }) => name));
  const legacyNames = [...LEGACY_REQUIRED, ...files.legacy.map(({ name }) => name)];
  // The current numbering never had a history without function files.
  const isLegacy = files.legacy.length > 0 && applied.size > 0 && history.functions.size === 0;
  const carriedOver = isLegacy ? [...known].filter((name) => name <= LEGACY_EQUALS) : [];
  const expected = isLegacy ? legacyNames : [...known];
  const pending = (file: { readonly name: string }): boolean => !applied.has(file.name);
  const migrations = files.migrations.filter((file) => (isLegacy ? !carriedOver.includes(file.name) : pending(file)));
  const waits = ({ isContract, number }: Migration): boolean =>
    isContract && oldestLevel !== null && oldestLevel < number;
  const unknown = [...applied].filter((name) => !expected.includes(name)).sort();
  return {
    carriedOver,
    legacy: isLegacy ? files.legacy.filter(pending) : [],
    migrations: migrations.filter((file) => !waits(file)),
    waiting: migrations.filter(waits).map(({ name }) => name),
    // The functions of a newer release belong to its tables.
    functions:
      unknown.length > 0 ? [] : files.functions.filter(({ name, hash }) => history.functions.get(name) !== hash),
    unknown,
    fault: findFault(expected, applied, unknown, isLegacy),
  };
}

/** The names of what the plan applies. */
export function namesOf({ legacy, migrations, functions }: SchemaPlan): string[] {
  return [...legacy, ...migrations, ...functions].map(({ name }) => name);
}

function findFault(
  expected: readonly string[],
  applied: ReadonlySet<string>,
  unknown: readonly string[],
  isLegacy: boolean,
): string | null {
  const contracts = unknown.filter(isContractName);
  if (contracts.length > 0) return describeContracts(contracts);
  const last = [...applied].sort().at(-1) ?? "";
  const lacking = expected.filter(
    (name) =>
      !applied.has(name) && ((name < last && !isContractName(name)) || (isLegacy && LEGACY_REQUIRED.includes(name))),
  );
  const strange = isLegacy ? unknown : [];
  if (lacking.length + strange.length === 0) return null;
  const findings = [
    `it ends with ${last}`,
    ...(lacking.length > 0 ? [`lacks ${lacking.join(", ")}`] : []),
    ...(unknown.length > 0 ? [`has ${unknown.join(", ")}, which this release does not know`] : []),
  ];
  const advice = isLegacy
    ? `Databases of the earlier numbering are carried over from ${LEGACY_REQUIRED.at(-1) ?? ""} on.`
    : "Use the release that made it, or restore a backup.";
  return `The history of the database cannot be continued: ${findings.join("; ")}. ${advice} Nothing was changed.`;
}

/** Why a program that does not know these migrations cannot use the database. */
export function describeContracts(names: readonly string[]): string {
  return (
    `A newer release has removed from the database what this release uses (${names.join(", ")}). Use the newer release, or restore ` +
    "a backup that was made before it. Nothing was changed."
  );
}
