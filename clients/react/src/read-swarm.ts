import type { SupabaseClient } from "@supabase/supabase-js";
import { type Database, FINAL_RUN_STATUSES, type Message, RUN_STATUSES, type RunStatus } from "@swarmbase/sdk";
import { changedAt } from "./swarm-message.ts";

type Client = SupabaseClient<Database>;

const PAGE_SIZE = 50;
/** After a long absence the messages are loaded again from the newest one. */
const MAX_MISSED = 1_000;
const FINAL: readonly RunStatus[] = FINAL_RUN_STATUSES;
const UNFINISHED = RUN_STATUSES.filter((status) => !FINAL.includes(status));

interface MessagePage {
  readonly rows: readonly Message[];
  readonly hasOlder: boolean;
}

/** The newest messages, or those before a `seq`. */
export async function readPage(client: Client, swarmId: string, before: number | null): Promise<MessagePage> {
  let query = client
    .from("messages")
    .select("*")
    .eq("swarm_id", swarmId)
    .order("seq", { ascending: false })
    .limit(PAGE_SIZE);
  if (before !== null) query = query.lt("seq", before);
  const { data: rows } = await query.throwOnError();
  return { rows, hasOlder: rows.length === PAGE_SIZE };
}

/** Up to where all messages and their changes are known. */
export interface KnownUntil {
  readonly seq: number;
  readonly at: string;
}

export const NOTHING_KNOWN: KnownUntil = { seq: 0, at: "1970-01-01T00:00:00Z" };

export function extendKnown({ seq, at }: KnownUntil, rows: readonly Message[]): KnownUntil {
  const times = rows.map(changedAt);
  return {
    seq: Math.max(seq, ...rows.map((row) => row.seq)),
    at: times.reduce((latest, time) => (time > latest ? time : latest), at),
  };
}

/** Messages that are newer than the known ones, or that were changed since; null when there are too many. */
export async function readMissed(
  client: Client,
  swarmId: string,
  { seq, at }: KnownUntil,
): Promise<readonly Message[] | null> {
  const { data: rows } = await client
    .from("messages")
    .select("*")
    .eq("swarm_id", swarmId)
    .or(`seq.gt.${seq},edited_at.gt."${at}",deleted_at.gt."${at}"`)
    .order("seq")
    .limit(MAX_MISSED)
    .throwOnError();
  return rows.length === MAX_MISSED ? null : rows;
}

export async function readMessage(client: Client, id: string): Promise<Message | null> {
  const { data } = await client.from("messages").select("*").eq("id", id).maybeSingle().throwOnError();
  return data;
}

/** The newest ones, the oldest first: many others may wait. */
export async function readUnfinishedRuns(client: Client, swarmId: string): Promise<readonly string[]> {
  const { data } = await client
    .from("runs")
    .select("id")
    .eq("swarm_id", swarmId)
    .in("status", UNFINISHED)
    .order("id", { ascending: false })
    .limit(20)
    .throwOnError();
  return data.map(({ id }) => id).toReversed();
}
