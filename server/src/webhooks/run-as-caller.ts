import {
  type Database,
  hasWebhookWork,
  type Principal,
  readCallRejection,
  runPipelined,
  transactionScopeOf,
} from "../db/index.ts";

export interface CallerPorts {
  readonly database: Pick<Database, "user" | "service">;
  readonly statementTimeoutMs: number;
  /** Translates the errors with which a transaction as the principal begins. */
  translateEnter(error: unknown, principal: Principal): unknown;
  /** Called after a transaction that has made work for the workers. */
  onWork(): void;
}

interface CallerStatement {
  readonly principal: Principal;
  readonly isReadOnly: boolean;
  readonly text: string;
  readonly values: readonly (string | null | readonly (string | null)[])[];
}

const SCHEMAS = ["public"];
const REQUEST = { method: "POST", path: "/functions/v1/events", headers: {} };

/** The first row of a statement, in a transaction as the principal of a call of the function `events`. */
export async function runAsCaller(
  { database, statementTimeoutMs, onWork }: CallerPorts,
  { principal, isReadOnly, text, values }: CallerStatement,
): Promise<readonly (string | null)[]> {
  const scope = transactionScopeOf(principal, { schemas: SCHEMAS, statementTimeoutMs, isReadOnly, request: REQUEST });
  const pool = principal.role === "service_role" ? database.service : database.user;
  const results = await runPipelined(pool, { scope, statements: [{ text, values }] });
  if (hasWebhookWork(results)) onWork();
  return results[0]?.rows[0] ?? [];
}

/** What the function answers when a statement as the caller fails. */
export function translateCallError({ translateEnter }: CallerPorts, error: unknown, principal: Principal): unknown {
  return readCallRejection(error) ?? translateEnter(error, principal);
}
