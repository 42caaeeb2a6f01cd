import pg from "pg";
import type { TestDatabase } from "../support/database.ts";
import { type Attempts, attemptAs, type Outcome } from "./attempt.ts";
import { CALLERS, type Caller, loginOf, readKeyScope, scopeOf, userOf } from "./callers.ts";
import { EXTENSION_ROWS } from "./extension-access.ts";
import { bindFixtureIds, type FixtureIds } from "./fixture-ids.ts";
import type { MatrixLine } from "./read-matrix.ts";
import { OPERATIONS } from "./operations.ts";
import { makeWorld } from "./world.ts";

export interface MatrixRun {
  /** Every cell of a table's lines that is not as written, as text. */
  findWrongCells(lines: readonly MatrixLine[]): Promise<string[]>;
  /** What a read key of the owner gets other than the owner's reads, as text. */
  findKeyFaults(lines: readonly MatrixLine[]): Promise<string[]>;
  close(): Promise<void>;
}

/** SQLSTATE read_only_sql_transaction. */
const READ_ONLY = "25006";
const REJECTED: readonly string[] = ["no", "never"];

export async function openMatrixRun(database: TestDatabase): Promise<MatrixRun> {
  const { ids } = await makeWorld(database.owner, EXTENSION_ROWS);
  const clients = {
    sb_user: new pg.Client({ connectionString: database.url("sb_user") }),
    sb_service: new pg.Client({ connectionString: database.url("sb_service") }),
  };
  await Promise.all([clients.sb_user.connect(), clients.sb_service.connect()]);
  return {
    async findWrongCells(lines) {
      const wrong: string[] = [];
      for (const caller of CALLERS) {
        const named = nameCaller(caller, ids);
        await attemptAs(clients[loginOf(caller)], scopeOf(caller, ids), async (attempts) => {
          for (const line of lines) {
            const observed = await observe(attempts, line, named);
            const expected = line.cells[caller];
            if (observed === expected) continue;
            wrong.push(`${line.table} | ${line.operation}: ${caller} should get "${expected}", gets "${observed}"`);
          }
        });
      }
      return wrong;
    },
    async findKeyFaults(lines) {
      const named = nameCaller("owner", ids);
      const scope = readKeyScope(ids.get("owner") ?? "");
      return attemptAs(clients.sb_user, scope, async (attempts) => {
        const wrong: string[] = [];
        for (const line of lines) {
          const observed = await observe(attempts, line, named);
          const isRead = line.operation.startsWith("select");
          const isRight = isRead
            ? observed === line.cells.owner
            : REJECTED.includes(observed) || observed.startsWith(READ_ONLY);
          if (!isRight) wrong.push(`${line.table} | ${line.operation}: a read key gets "${observed}"`);
        }
        return wrong;
      });
    },
    async close() {
      await Promise.all(Object.values(clients).map((client) => client.end()));
    },
  };
}

async function observe(attempts: Attempts, { table, operation }: MatrixLine, named: FixtureIds): Promise<Outcome> {
  const tried = OPERATIONS[table]?.[operation];
  if (tried === undefined) return "no statement for this line in operations.ts";
  const statement = bindFixtureIds(tried.statement, named);
  const check = tried.check === undefined ? undefined : bindFixtureIds(tried.check, named);
  const bare = await attempts.try(statement, check);
  const wroteNothing = bare !== "yes" && check === undefined;
  if (statement.startsWith("select") || wroteNothing) return bare;
  // A client may ask for the row that it wrote, which the rules for reading then judge too: it must come out the same.
  const returning = await attempts.try(`${statement} returning *`, check);
  return bare === returning ? bare : `${bare}, but ${returning} with returning`;
}

function nameCaller(caller: Caller, ids: FixtureIds): FixtureIds {
  const user = userOf(caller);
  return new Map([...ids, ["caller", ids.get(user) ?? ""], ["callerSpare", ids.get(`${user}Spare`) ?? ""]]);
}
