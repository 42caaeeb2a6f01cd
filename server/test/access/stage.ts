import pg from "pg";
import type { TransactionScope } from "../../src/db/index.ts";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import { enter } from "./attempt.ts";
import { requestScope, userScope } from "./callers.ts";
import { bindFixtureIds, type FixtureIds } from "./fixture-ids.ts";
import { makeWorld } from "./world.ts";

interface Answer {
  /** SQLSTATE of the refusal, or null. */
  readonly code: string | null;
  readonly detail: string | undefined;
  readonly rows: readonly Record<string, unknown>[];
  readonly count: number;
}

export interface StageTransaction {
  /** Runs one statement in the name of a user of the world; a refusal is an answer and leaves the transaction as it was. */
  as(user: string, statement: string): Promise<Answer>;
  /** The same with the service role: what truly is in the tables. */
  asService(statement: string): Promise<Answer>;
  /** The same as the service's own login, which alone reads what is private. */
  asInternal(statement: string): Promise<Answer>;
  within(scope: TransactionScope, statement: string): Promise<Answer>;
}

export interface Stage {
  readonly database: TestDatabase;
  readonly ids: FixtureIds;
  /** Callers take turns in one transaction, which is taken back at the end. */
  play(transaction: (transaction: StageTransaction) => Promise<void>): Promise<void>;
  close(): Promise<void>;
}

/** The world of the matrix as a place to try things that take more than one step. */
export async function openStage(): Promise<Stage> {
  const closers: (() => Promise<void>)[] = [];
  const database = await createTestDatabase({ after: (close) => closers.push(close) });
  const { ids } = await makeWorld(database.owner);
  // This login may enter as every caller; that a user's login may not is tried in escape.test.ts.
  const client = new pg.Client({ connectionString: database.url("sb_service") });
  await client.connect();
  return {
    database,
    ids,
    async play(transaction) {
      await client.query("begin");
      try {
        await transaction(openTransaction(client, ids));
      } finally {
        await client.query("rollback");
      }
    },
    async close() {
      await client.end();
      for (const close of closers) await close();
    },
  };
}

function openTransaction(client: pg.Client, ids: FixtureIds): StageTransaction {
  const run = async (statement: string): Promise<Answer> => {
    await client.query("savepoint step");
    try {
      const { rows, rowCount } = await client.query<Record<string, unknown>>(bindFixtureIds(statement, ids));
      return { code: null, detail: undefined, rows, count: rowCount ?? 0 };
    } catch (error) {
      if (!(error instanceof pg.DatabaseError)) throw error;
      await client.query("rollback to step");
      return { code: error.code ?? "", detail: error.detail, rows: [], count: 0 };
    }
  };
  const within = async (scope: TransactionScope, statement: string): Promise<Answer> => {
    await enter(client, scope);
    return run(statement);
  };
  return {
    within,
    as: (user, statement) => within(userScope(ids.get(user) ?? "", `${user}@example.test`), statement),
    asService: (statement) => within(requestScope("service_role", { role: "service_role" }), statement),
    async asInternal(statement) {
      await client.query("select set_config('role', 'none', true), set_config('request.jwt.claims', '{}', true)");
      return run(statement);
    },
  };
}
