import { createHash } from "node:crypto";
import { posix } from "node:path";
import type { Fault, Rule } from "../rule.ts";

/** Written by `npm run generate -- released-migrations` when a release is cut: the hash of every migration, by its path. */
export const RELEASED_MIGRATIONS = "tools/released-migrations.json";

/** What of a tree these functions read. */
export const MIGRATION_FILES: readonly string[] = ["{server,extensions/*/sql}/migrations/*.sql", RELEASED_MIGRATIONS];

const MIGRATION = /^(?:server|extensions\/[^/]+\/sql)\/migrations\/[^/]+\.sql$/;

/**
 * Databases exist that have applied a released migration, and refuse to start with another text of it. A new one is applied after all
 * released ones, so its number is higher.
 */
export const checkReleasedMigrations: Rule = ({ texts }) => {
  const released = readReleased(texts);
  const current = hashMigrations(texts);
  const faults: Fault[] = Object.entries(released).flatMap(([path, hash]) => {
    if (current[path] === hash) return [];
    const what = current[path] === undefined ? "was deleted" : "was changed";
    return [{ path, line: 1, message: `this migration is released and ${what}: add another one` }];
  });
  const last = new Map<string, string>();
  for (const path of Object.keys(released).toSorted()) last.set(posix.dirname(path), posix.basename(path));
  for (const path of Object.keys(current)) {
    const before = last.get(posix.dirname(path));
    if (released[path] === undefined && before !== undefined && numberOf(posix.basename(path)) <= numberOf(before))
      faults.push({ path, line: 1, message: `the number of a new migration is higher than that of ${before}` });
  }
  return faults;
};

/** The migrations that a release would still have to record. */
export function findNewMigrations(texts: ReadonlyMap<string, string>): readonly string[] {
  const released = readReleased(texts);
  return Object.keys(hashMigrations(texts)).filter((path) => released[path] === undefined);
}

export function hashMigrations(texts: ReadonlyMap<string, string>): Readonly<Record<string, string>> {
  const paths = [...texts.keys()].filter((path) => MIGRATION.test(path)).toSorted();
  return Object.fromEntries(
    paths.map((path) => [
      path,
      createHash("sha256")
        .update(texts.get(path) ?? "")
        .digest("hex"),
    ]),
  );
}

function readReleased(texts: ReadonlyMap<string, string>): Readonly<Record<string, string>> {
  return JSON.parse(texts.get(RELEASED_MIGRATIONS) ?? "{}") as Readonly<Record<string, string>>;
}

function numberOf(file: string): number {
  return Number(file.slice(0, 4));
}
