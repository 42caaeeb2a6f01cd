import type { MigrationFile } from "./read-migrations.ts";
import type { AppliedMigration } from "./sql/history.ts";

/** The migrations to apply, in order. Throws when the folder and the record of the database contradict each other. */
export function planPush(
  files: readonly MigrationFile[],
  applied: readonly AppliedMigration[],
): readonly MigrationFile[] {
  const hashes = new Map(applied.map(({ name, hash }) => [name, hash]));
  const names = new Set(files.map(({ name }) => name));
  const faults = [
    ...files
      .filter(({ name, hash }) => hashes.has(name) && hashes.get(name) !== hash)
      .map(({ name }) => `${name} was changed after it was applied.`),
    ...applied
      .filter(({ name }) => !names.has(name))
      .map(({ name }) => `${name} was applied, and its file is missing.`),
  ];
  const pending = files.filter(({ name }) => !hashes.has(name));
  const lastApplied = files.findLastIndex(({ name }) => hashes.has(name));
  faults.push(
    ...files
      .slice(0, Math.max(0, lastApplied))
      .filter((file) => pending.includes(file))
      .map(
        ({ name }) =>
          `${name} comes before ${files[lastApplied]?.name ?? ""}, which was applied; give it a later number.`,
      ),
  );
  if (faults.length === 0) return pending;
  throw new Error(
    `The migrations do not fit the database:\n${faults.map((fault) => `  - ${fault}\n`).join("")}` +
      "Nothing was changed. Write a further migration instead, or start again with: swarmbase db reset",
  );
}
