import { type Database, type Principal, readCallRejection, runPipelined, scopeOf } from "../db/index.ts";

export interface CallerPorts {
  readonly database: Pick<Database, "user" | "service">;
  readonly statementTimeoutMs: number;
  /** Translates the errors with which a transaction as the principal begins. */
  translateEnter(error: unknown, principal: Principal): unknown;
}

export interface CallerStatement {
  readonly principal: Principal;
  readonly isReadOnly: boolean;
  readonly text: string;
  readonly values: readonly (string | null)[];
}

/** The first row of a statement, in a transaction as the principal of a call of the function `events`. */
export async function runAsCaller(
  { database, statementTimeoutMs }: CallerPorts,
  { principal, isReadOnly, text, values }: CallerStatement,
): Promise<readonly (string | null)[]> {
  const scope = scopeOf(principal, {
    schemas: ["public"],
    statementTimeoutMs,
    isReadOnly,
    request: { method: "POST", path: "/functions/v1/events", headers: {} },
  });
  const pool = principal.role === "service_role" ? database.service : database.user;
  const [result] = await runPipelined(pool, { scope, statements: [{ text, values }] });
  return result?.rows[0] ?? [];
}

/** What the function answers when a statement as the caller fails. */
export function translateRejection({ translateEnter }: CallerPorts, error: unknown, principal: Principal): unknown {
  return readCallRejection(error) ?? translateEnter(error, principal);
}
