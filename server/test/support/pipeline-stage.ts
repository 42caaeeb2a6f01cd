import type { FairPool, FairPoolConfig, PipelinedStatement, StatementResult } from "@swarmbase/postgres";
import { createPool } from "../../src/db/create-pool.ts";
import { runPipelined, type TransactionScope, type TransactionOptions } from "../../src/db/index.ts";
import { type Cleanup, createTestDatabase, type TestDatabase } from "./database.ts";

export { runPipelined, type TransactionScope };

export interface Stage {
  readonly database: TestDatabase;
  /** One connection, unless a test wants more. */
  openPool(config?: FairPoolConfig): FairPool;
}

export async function openStage(t: Cleanup): Promise<Stage> {
  const pools: FairPool[] = [];
  const database = await createTestDatabase({
    after: (close) =>
      t.after(async () => {
        await Promise.all(pools.map((pool) => pool.end()));
        await close();
      }),
  });
  return {
    database,
    openPool: (config = {}) => {
      const pool = createPool({ connectionString: database.url("sb_user"), max: 1, ...config });
      pool.on("error", () => {});
      pools.push(pool);
      return pool;
    },
  };
}

export function scopeOf(userId: string, changes: Partial<TransactionScope> = {}): TransactionScope {
  return {
    role: "authenticated",
    claims: { sub: userId, role: "authenticated" },
    schemas: ["public"],
    statementTimeoutMs: 8000,
    isReadOnly: false,
    request: { method: "POST", path: "/", headers: {} },
    ...changes,
  };
}

export const ANON: TransactionScope = scopeOf("", { role: "anon", claims: {} });

export type Changes = Omit<TransactionOptions, "scope" | "statements">;

export function run(
  pool: FairPool,
  scope: TransactionScope,
  statements: readonly (PipelinedStatement | string)[],
  changes: Changes = {},
): Promise<readonly StatementResult[]> {
  return runPipelined(pool, {
    scope,
    statements: statements.map((statement) =>
      typeof statement === "string" ? { text: statement, values: [] } : statement,
    ),
    ...changes,
  });
}

/** The one value of the last statement. */
export async function ask(
  pool: FairPool,
  scope: TransactionScope,
  text: string,
  values: PipelinedStatement["values"] = [],
): Promise<string | null> {
  const results = await run(pool, scope, [{ text, values }]);
  return results.at(-1)?.rows[0]?.[0] ?? null;
}

/** Queries the pool's connection outside a pipelined transaction: what the next user finds there. */
export async function queryPool(pool: FairPool, text: string): Promise<unknown> {
  const { rows } = await pool.query<Record<string, unknown>>(text);
  return Object.values(rows[0] ?? {})[0];
}

export async function countPrepared(pool: FairPool): Promise<number> {
  return Number(await queryPool(pool, "select count(*) from pg_prepared_statements"));
}
