import type { Query } from "swarmbase/extension";
import type { TriggerScheme } from "../verification/read-claim.ts";

/** A row of `triggers`, as far as its calls need it. */
interface TriggerRow {
  readonly id: string;
  readonly user_id: string;
  readonly agent_id: string | null;
  readonly swarm_id: string | null;
  readonly message: string;
  readonly conversation: "own" | "new";
  readonly verification: TriggerScheme["verification"];
  readonly signature_header: string;
  readonly signature_algorithm: TriggerScheme["signatureAlgorithm"];
  readonly signature_encoding: TriggerScheme["signatureEncoding"];
  readonly signature_prefix: string;
  readonly event_id_path: string | null;
  readonly filter: object | null;
  readonly replay_window_seconds: number;
  readonly enabled: boolean;
  readonly calls_per_minute: number;
  readonly max_payload_bytes: number;
  /** Text, as PostgreSQL sends numbers of this size. */
  readonly max_tokens: string | null;
  readonly max_cost_usd: string | null;
  readonly allowed_tools: readonly string[];
  readonly api_key_id: string | null;
  readonly updated_at: Date;
}

export interface FoundTrigger extends TriggerRow {
  /** Null means that nobody can sign a call. */
  readonly secret_wrapped: Buffer | null;
}

const FIND = `
  select t.*, s.secret_wrapped from public.triggers t
  left join ext_triggers.secrets s on s.trigger_id = t.id where t.id = any ($1::uuid[])`;

export function findTriggers(query: Query, ids: readonly string[]): Promise<readonly FoundTrigger[]> {
  return query<FoundTrigger>(FIND, [ids]);
}

export interface LockedTrigger extends TriggerRow {
  /** The time of the database, which all nodes share. */
  readonly now: Date;
}

const LOCK = "select t.*, now() as now from ext_triggers.lock_trigger($1) as t where t.id is not null";

/** Keeps the trigger, and what it names, from being deleted; null means that it is gone. */
export async function lockTrigger(query: Query, id: string): Promise<LockedTrigger | null> {
  const [row] = await query<LockedTrigger>(LOCK, [id]);
  return row ?? null;
}

/** Returns null, or beyond the limit the seconds until calls are accepted again. */
export async function takeCall(query: Query, id: string, maxCalls: number): Promise<number | null> {
  const [row] = await query<{ seconds: number | null }>("select ext_triggers.take_call($1, $2) as seconds", [
    id,
    maxCalls,
  ]);
  return row?.seconds ?? null;
}

/** Whether the filter of the trigger does not let the payload pass, which is counted. */
export async function skipCall(query: Query, id: string, payload: string): Promise<boolean> {
  const [row] = await query<{ is_skipped: boolean }>("select ext_triggers.skip_call($1, $2) as is_skipped", [
    id,
    payload,
  ]);
  return row?.is_skipped === true;
}

/** About once a minute, so that the owner sees that a sender signs in another way. */
export async function noteUnverified(query: Query, id: string): Promise<void> {
  await query("update public.triggers set unverified_at = now() where id = $1", [id]);
}

const STORE_SECRET = `
  insert into ext_triggers.secrets as s (trigger_id, secret_wrapped) values ($1, $2)
  on conflict (trigger_id) do update set secret_wrapped = excluded.secret_wrapped`;
const NOTE_SECRET = `
  update public.triggers set has_secret = true, updated_at = now(), api_key_id = coalesce($2, api_key_id),
    api_key_scopes = coalesce($3, api_key_scopes) where id = $1`;

interface SecretWriter {
  /** Null means a person. */
  readonly apiKeyId: string | null;
  readonly scopes: readonly string[] | null;
}

/** As every write by a key, it leaves the trigger with no more rights than the key. */
export async function storeSecret(query: Query, id: string, wrapped: Buffer, writer: SecretWriter): Promise<void> {
  await query(NOTE_SECRET, [id, writer.apiKeyId, writer.scopes]);
  await query(STORE_SECRET, [id, wrapped]);
}
