import pg from "pg";
import type { TestDatabase } from "../support/database.ts";
import { type Attempts, attemptAs, type Outcome } from "./attempt.ts";
import { CALLERS, type Caller, KEYS, keyScope, loginOf, portalScope, scopeOf, userOf } from "./callers.ts";
import { EXTENSION_ROWS } from "./extension-access.ts";
import { bindFixtureIds, type FixtureIds } from "./fixture-ids.ts";
import type { MatrixLine } from "./read-matrix.ts";
import { OPERATIONS } from "./operations.ts";
import { makeWorld } from "./world.ts";

export interface MatrixRun {
  /** Every cell of a table's lines that is not as written, as text. */
  findWrongCells(lines: readonly MatrixLine[]): Promise<string[]>;
  /**
   * What keys of the owner get with the four operations of a table, as a line for each of the matrix of keys; `of`: what programs get
   * that the owner has let in, with the same scopes.
   */
  describeKeys(table: string, of: "people" | "programs"): Promise<string[]>;
  /** Which of the four operations of a table the portal of the owner may make. */
  listReachedByPortal(table: string): Promise<string[]>;
  close(): Promise<void>;
}

const FOUR = ["select", "insert", "update", "delete"];

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
    async describeKeys(table, of) {
      const named = nameCaller("owner", ids);
      const cells = FOUR.map((): string[] => []);
      const clientId = of === "programs" ? "https://program.example" : null;
      const keys = [ids.get("userKey"), ids.get("boundKey")];
      await database.owner.query("update public.api_keys set client_id = $1 where id = any ($2)", [clientId, keys]);
      for (const key of KEYS)
        await attemptAs(clients.sb_user, keyScope(key, ids, clientId), async (attempts) => {
          for (const [place, operation] of FOUR.entries()) {
            const tried = OPERATIONS[table]?.[operation];
            const outcome = await attempts.try(bindFixtureIds(tried?.statement ?? "", named));
            cells[place]?.push(outcome);
          }
        });
      return FOUR.map((operation, place) => `${table} ${operation}: ${cells[place]?.join(" ")}`);
    },
    async listReachedByPortal(table) {
      const named = nameCaller("owner", ids);
      const reached: string[] = [];
      await attemptAs(clients.sb_user, portalScope(ids), async (attempts) => {
        for (const operation of FOUR) {
          const tried = OPERATIONS[table]?.[operation];
          const outcome = await attempts.try(bindFixtureIds(tried?.statement ?? "", named));
          if (outcome === "yes" || outcome === "-") reached.push(operation);
        }
      });
      return reached;
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
