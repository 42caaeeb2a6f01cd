import type { Query } from "swarmbase/extension";

export interface CallRow {
  readonly id: string;
  readonly trigger_id: string;
  readonly user_id: string;
  readonly event_id: string;
  readonly event_type: string | null;
  /** The payload as JSON. */
  readonly text: string;
  readonly depth: number;
  readonly run_id: string | null;
  readonly swarm_id: string | null;
}

interface NewCall extends Omit<CallRow, "run_id" | "swarm_id"> {
  readonly replays: string | null;
}

/** What the service changes of a call. */
export interface CallChange {
  readonly status: "waiting" | "started" | "rejected" | "loop_detected";
  readonly error: { readonly code: string; readonly message: string } | null;
  readonly run_id: string | null;
  readonly swarm_id: string | null;
  readonly retry_at: Date | null;
  readonly finished_at: Date | null;
}

const INSERT = `
  insert into public.trigger_calls (id, trigger_id, user_id, event_id, event_type, payload, depth, replays)
  values ($1, $2, $3, $4, $5, $6::json, $7, $8)
  on conflict do nothing returning id`;
const KNOWN = `
  select id from public.trigger_calls where id = $1
  union all select id from public.trigger_calls where trigger_id = $2 and event_id = $3 and replays is null and $4`;

/** Returns the id of an earlier call for the same event, or of the same replay; null means that the call is stored. Waits for either. */
export async function insertCall(query: Query, call: NewCall): Promise<string | null> {
  const { id, trigger_id, user_id, event_id, event_type, text, depth, replays } = call;
  const inserted = await query(INSERT, [id, trigger_id, user_id, event_id, event_type, text, depth, replays]);
  if (inserted.length > 0) return null;
  const [known] = await query<{ id: string }>(KNOWN, [id, trigger_id, event_id, replays === null]);
  if (known === undefined) throw new Error("the call for the same event has ended meanwhile");
  return known.id;
}

const CHANGE = `
  update public.trigger_calls set status = $2, error = $3, run_id = $4, swarm_id = $5, retry_at = $6, finished_at = $7
  where id = $1`;

export async function changeCall(query: Query, id: string, change: CallChange): Promise<void> {
  const { status, error, run_id, swarm_id, retry_at, finished_at } = change;
  const text = error === null ? null : JSON.stringify(error);
  await query(CHANGE, [id, status, text, run_id, swarm_id, retry_at, finished_at]);
}

/** A reason is one that the trigger cannot get over by itself. */
export async function countFailure(query: Query, triggerId: string, reason: string | null): Promise<void> {
  await query("select ext_triggers.count_failure($1, $2)", [triggerId, reason]);
}

export async function findDepth(query: Query, deliveryId: string | null, executionId: string | null): Promise<number> {
  const [row] = await query<{ depth: number }>("select ext_triggers.find_depth($1, $2) as depth", [
    deliveryId,
    executionId,
  ]);
  return row?.depth ?? 0;
}

const QUEUE = `
  select count(*)::int as count, min(retry_at) as retry_at
  from (select retry_at from public.trigger_calls where trigger_id = $1 and status = 'waiting' and retry_at is not null
    order by retry_at limit $2) as w`;

/** The accepted calls of a trigger that wait, up to a number, and when the first goes on. */
export async function findQueue(
  query: Query,
  triggerId: string,
  max: number,
): Promise<{ readonly count: number; readonly retry_at: Date | null }> {
  const [row] = await query<{ count: number; retry_at: Date | null }>(QUEUE, [triggerId, max]);
  return row ?? { count: 0, retry_at: null };
}

const COLUMNS = "id, trigger_id, user_id, event_id, event_type, payload::text as text, depth, run_id, swarm_id";
/** Once the transaction is committed. */
export async function wakeWorkers(query: Query): Promise<void> {
  await query("select private.wake_extension('triggers')");
}

const FIND = `select ${COLUMNS} from public.trigger_calls where id = $1`;

export async function findCall(query: Query, id: string): Promise<CallRow | null> {
  const [row] = await query<CallRow>(FIND, [id]);
  return row ?? null;
}

const LOCK_DUE = `
  select ${COLUMNS} from public.trigger_calls where id = $1 and status = 'waiting' and retry_at <= now()
  for no key update skip locked`;

/** Returns null when another node has the call, or it waits again. */
export async function lockDueCall(query: Query, id: string): Promise<CallRow | null> {
  const [row] = await query<CallRow>(LOCK_DUE, [id]);
  return row ?? null;
}
