import type { Query } from "swarmbase/extension";

interface OperatorRow {
  readonly user_id: string;
  readonly email: string | null;
  readonly created_at: Date;
  readonly has_second_factor: boolean;
}

type Found = Pick<OperatorRow, "user_id" | "email">;

interface Added extends Found {
  /** False means that the account was named by an address that is not proven. */
  readonly is_added: boolean;
}

/** By proven e-mail address or id; null when there is no such account. */
export async function addOperator(query: Query, wanted: string): Promise<Added | null> {
  return (await query<Added>("select * from ext_operator.add_operator($1)", [wanted]))[0] ?? null;
}

/** Null when the account is no operator. */
export async function removeOperator(query: Query, wanted: string): Promise<Found | null> {
  return (await query<Found>("select * from ext_operator.remove_operator($1)", [wanted]))[0] ?? null;
}

export function listOperators(query: Query): Promise<readonly OperatorRow[]> {
  return query<OperatorRow>("select * from ext_operator.list_operators()");
}

export async function isOperator(query: Query, userId: string): Promise<boolean> {
  const rows = await query("select from ext_operator.operators o where o.user_id = $1", [userId]);
  return rows.length > 0;
}

interface RecordedCall {
  readonly action: string;
  readonly target: string;
  readonly request_id?: string;
  readonly status?: number;
}

/** An entry of the audit log for a change by the service role or the command line. */
export async function recordCall(query: Query, actor: "service" | "command", call: RecordedCall): Promise<void> {
  await query("select ext_operator.record($1, $2)", [actor, JSON.stringify(call)]);
}
