import type { Client } from "pg";
import { withClient } from "../connect-client.ts";
import { withDatabase } from "../connection.ts";
import { copyRows } from "./copy-rows.ts";
import { selectClusterStatements, selectDatabases } from "./sql/select-cluster-statements.ts";
import { selectRuleStatements, selectSequenceStatements } from "./sql/select-rule-statements.ts";
import { selectShapeStatements, selectTables, selectUnsupported } from "./sql/select-shape-statements.ts";
import type { Statement } from "./statement.ts";

interface CopyServerOptions {
  /** Superuser connections; there must be no others. */
  readonly fromUrl: string;
  readonly toUrl: string;
  /** Deparsed text may differ between versions; then only the existence of objects is compared. */
  readonly isSameMajor: boolean;
  readonly signal: AbortSignal;
  onStep(line: string): void;
  onBytes(count: number): void;
}

export class CopyError extends Error {
  override readonly name = "CopyError";
}

const QUOTED_DIFFERENCES = 10;
const SESSION =
  "set search_path = ''; set check_function_bodies = off; set statement_timeout = 0; set lock_timeout = 0";

/**
 * Copies everything from one server to an empty one of any later version: definitions as statements, rows by COPY. Rejects
 * unsupported kinds of objects before it copies anything, and compares both servers at the end.
 */
export async function copyServer(o: CopyServerOptions): Promise<{ readonly rows: number }> {
  const databases = await within(o.fromUrl, selectDatabases);
  for (const { name } of databases) {
    const unsupported = await within(withDatabase(o.fromUrl, name), selectUnsupported);
    if (unsupported.length > 0) {
      throw new CopyError(
        `The database ${name} contains what cannot be copied: ${unsupported.join(", ")}. Remove it, or use ` +
          "PostgreSQL's own pg_dump and DATABASE_URL. Nothing was changed.",
      );
    }
  }
  o.onStep("roles and databases");
  await bothWithin(o.fromUrl, o.toUrl, async (from, to) => {
    const statements = await selectClusterStatements(from);
    await applyAll(to, statements);
    requireSame("the server", statements, await selectClusterStatements(to), o);
  });
  let rows = 0;
  for (const { name } of databases) {
    rows += await bothWithin(withDatabase(o.fromUrl, name), withDatabase(o.toUrl, name), (from, to) =>
      copyDatabase(name, from, to, o),
    );
  }
  return { rows };
}

async function copyDatabase(name: string, from: Client, to: Client, o: CopyServerOptions): Promise<number> {
  o.onStep(`${name}: tables, types and functions`);
  await from.query("begin isolation level repeatable read read only");
  const shape = await selectShapeStatements(from);
  const rules = await selectRuleStatements(from);
  const sequences = await selectSequenceStatements(from);
  const tables = await selectTables(from);
  // Statements that need a primary key, such as some views, are retried later.
  const later = await applyWhatGoes(to, shape);
  let rows = 0;
  for (const [place, table] of tables.entries()) {
    o.signal.throwIfAborted();
    o.onStep(`${name}: rows of ${table.name} (${place + 1} of ${tables.length})`);
    rows += await copyRows({ from, to, table, onBytes: (count) => o.onBytes(count) });
  }
  o.onStep(`${name}: indexes, constraints and rights`);
  await applyAll(to, [...later.map(({ statement }) => statement), ...rules]);
  await applyAll(to, sequences);
  await to.query("analyze");

  o.onStep(`${name}: comparing`);
  requireSame(name, shape, await selectShapeStatements(to), o);
  requireSame(name, rules, await selectRuleStatements(to), o);
  requireSame(name, sequences, await selectSequenceStatements(to), o);
  await from.query("commit");
  return rows;
}

interface Failure {
  readonly statement: Statement;
  readonly error: unknown;
}

/** Objects depend on each other in ways that no fixed order covers: failed statements are retried while any succeeds. */
async function applyWhatGoes(to: Client, statements: readonly Statement[]): Promise<Failure[]> {
  let waiting = statements;
  for (;;) {
    const failed: Failure[] = [];
    for (const statement of waiting) {
      try {
        await to.query(statement.text);
      } catch (error) {
        failed.push({ statement, error });
      }
    }
    if (failed.length === 0 || failed.length === waiting.length) return failed;
    waiting = failed.map(({ statement }) => statement);
  }
}

async function applyAll(to: Client, statements: readonly Statement[]): Promise<void> {
  const [first] = await applyWhatGoes(to, statements);
  if (first === undefined) return;
  const reason = first.error instanceof Error ? first.error.message : String(first.error);
  throw new CopyError(`The ${first.statement.key} could not be created: ${reason}`, { cause: first.error });
}

function requireSame(
  where: string,
  wanted: readonly Statement[],
  found: readonly Statement[],
  { isSameMajor }: CopyServerOptions,
): void {
  // PostgreSQL adds redundant parentheses when it deparses a statement.
  const wordsOf = ({ key, text }: Statement) => (isSameMajor ? `${key}: ${text.replace(/[()\s]+/g, " ")}` : key);
  const [left, right] = [new Set(wanted.map(wordsOf)), new Set(found.map(wordsOf))];
  const differences = [...left].filter((words) => !right.has(words)).map((words) => `missing or changed: ${words}`);
  differences.push(...[...right].filter((words) => !left.has(words)).map((words) => `new or changed: ${words}`));
  if (differences.length === 0) return;
  throw new CopyError(
    `The copy of ${where} differs in ${differences.length} places and was discarded. The first ones:\n` +
      differences.slice(0, QUOTED_DIFFERENCES).join("\n"),
  );
}

function within<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  return withClient(url, async (client) => {
    await client.query(SESSION);
    return work(client);
  });
}

function bothWithin<T>(fromUrl: string, toUrl: string, work: (from: Client, to: Client) => Promise<T>): Promise<T> {
  return within(fromUrl, (from) => within(toUrl, (to) => work(from, to)));
}
