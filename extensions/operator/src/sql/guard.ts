import type { ExtensionDatabase } from "swarmbase/extension";

/** What a session lacks to call as an operator. */
export type Lack = "operator" | "second_factor" | "recent_sign_in";

export interface SessionOfCaller {
  readonly userId: string;
  readonly sessionId: string | null;
  readonly maxAgeSeconds: number;
}

/** What the audit log says about a call. */
interface AuditedCall {
  readonly action: string;
  readonly target: string | null;
  readonly request_id: string;
  readonly is_read: boolean;
}

type Outcome = "done" | "rejected" | "failed";

type Service = Pick<ExtensionDatabase, "asService">;

export async function findLack(
  database: Service,
  { userId, sessionId, maxAgeSeconds }: SessionOfCaller,
): Promise<Lack | null> {
  const [row] = await database.asService((query) =>
    query<{ lack: Lack | null }>("select ext_operator.find_lack($1, $2, $3) as lack", [
      userId,
      sessionId,
      maxAgeSeconds,
    ]),
  );
  return row?.lack ?? null;
}

/** Begins the entry of the audit log; null for a caller who is no operator. */
export async function admit(
  database: Service,
  { userId, sessionId, maxAgeSeconds }: SessionOfCaller,
  call: AuditedCall,
): Promise<{ readonly lack: Lack | null; readonly entry: string | null }> {
  const [row] = await database.asService((query) =>
    query<{ lack: Lack | null; entry: string | null }>("select * from ext_operator.admit($1, $2, $3, $4)", [
      userId,
      sessionId,
      maxAgeSeconds,
      JSON.stringify(call),
    ]),
  );
  if (row === undefined) throw new Error("ext_operator.admit returned no row");
  return row;
}

interface Settlement {
  readonly outcome: Outcome;
  readonly status: number;
  readonly details: Readonly<Record<string, unknown>>;
}

export async function settle(
  database: Service,
  entry: string,
  { outcome, status, details }: Settlement,
): Promise<void> {
  await database.asService((query) =>
    query("select ext_operator.settle($1, $2, $3, $4)", [entry, outcome, status, JSON.stringify(details)]),
  );
}
