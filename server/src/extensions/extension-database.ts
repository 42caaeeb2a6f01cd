import pg from "pg";
import { translateScopeError } from "../auth/index.ts";
import {
  buildScope,
  type Database,
  hasScope,
  inTransaction,
  insufficientScopeError,
  type Principal,
  transactionScopeOf,
  shareKeyOf,
} from "../db/index.ts";
import { AppError } from "../errors/index.ts";
import type { ExtensionDatabase, Query } from "./port.ts";

/** SQLSTATE insufficient_privilege. */
const NO_PRIVILEGE = "42501";
/** SQLSTATE read_only_sql_transaction. */
const READ_ONLY = "25006";

/** The schema of the extension is the search path of `asCaller`. */
export function createExtensionDatabase(
  database: Pick<Database, "user" | "service">,
  schema: string,
  statementTimeoutMs: number,
): ExtensionDatabase {
  return {
    async asCaller(caller, work) {
      // Principals come from the core; the port exposes only a part of them.
      const principal = caller as Principal;
      const pool = principal.role === "service_role" ? database.service : database.user;
      const request = { method: "", path: "", headers: {} };
      const { lockTimeoutMs } = pool;
      const isReadOnly = !hasScope(principal, "write");
      const transaction = { schemas: [schema], statementTimeoutMs, lockTimeoutMs, isReadOnly, request };
      const scope = transactionScopeOf(principal, transaction);
      const enter = buildScope(scope);
      const run = async (client: pg.ClientBase): ReturnType<typeof work> => {
        await client.query(enter.text, [...enter.values]);
        return work(queryOver(client));
      };
      try {
        return await inTransaction(pool, run, shareKeyOf(scope));
      } catch (error) {
        throw translateRejection(error, principal);
      }
    },
    async asService(work) {
      const afterCommit: (() => void)[] = [];
      const result = await inTransaction(database.service, (client) => {
        const query = queryOver(client);
        transactions.set(query, { client, afterCommit });
        return work(query);
      });
      for (const announce of afterCommit) announce();
      return result;
    },
  };
}

interface ServiceTransaction {
  readonly client: pg.ClientBase;
  /** Called in their order once the transaction is committed. */
  readonly afterCommit: (() => void)[];
}

const transactions = new WeakMap<Query, ServiceTransaction>();

/** The transaction of a query of `asService`. */
export function getTransaction(query: Query): ServiceTransaction {
  const transaction = transactions.get(query);
  if (transaction === undefined) throw new TypeError("the transaction must be the query of database.asService");
  return transaction;
}

function queryOver(client: pg.ClientBase): Query {
  return async <Row extends object>(text: string, values: readonly unknown[] = []) =>
    (await client.query<Row>(text, [...values])).rows;
}

function translateRejection(error: unknown, principal: Principal): unknown {
  if (!hasScope(principal, "write") && error instanceof pg.DatabaseError && error.code === READ_ONLY)
    return insufficientScopeError("write", principal, error);
  if (error instanceof pg.DatabaseError && error.code === NO_PRIVILEGE)
    return new AppError("FORBIDDEN", "You do not have the right to do this", { cause: error });
  return translateScopeError(error, principal);
}
