import type pg from "pg";
import type { TranscriptMessage } from "../../context/transcript.ts";

interface SummarySource {
  /** Oldest first. */
  readonly messages: readonly TranscriptMessage[];
  readonly hash: string | null;
}

interface SummaryRange {
  readonly swarmId: string;
  readonly afterSeq: number;
  readonly upToSeq: number;
}

export async function loadSummarySource(pool: pg.Pool, range: SummaryRange): Promise<SummarySource> {
  const { rows } = await pool.query<SummarySource>({
    name: "agents-load-summary-source",
    text: `select private.hash_summarised_messages($1, $2, $3) as hash, coalesce((
             select json_agg(json_build_object('id', m.id, 'seq', m.seq, 'sender_type', m.sender_type,
               'sender_id', m.sender_id, 'sender_name', m.sender_name, 'content', m.content, 'run_id', m.run_id))
             from private.list_summarised_messages($1, $2, $3) as m), '[]') as messages`,
    values: [range.swarmId, range.afterSeq, range.upToSeq],
  });
  const [source] = rows;
  if (source === undefined) throw new Error("the database returned no row for the messages");
  return source;
}

/** Names are those that private.store_summary reads. */
export interface SummaryCall {
  readonly run_id: string;
  readonly fence: number;
  readonly agent_id: string;
  readonly after_seq: number;
  readonly up_to_seq: number;
  readonly hash: string | null;
  readonly text: string;
}

/** `outdated`: a message has changed since it was read, so nothing was stored. */
export async function storeSummary(pool: pg.Pool, call: SummaryCall): Promise<"stored" | "outdated" | "lost"> {
  const { rows } = await pool.query<{ outcome: "stored" | "outdated" | "lost" }>({
    name: "agents-store-summary",
    text: "select private.store_summary($1) as outcome",
    values: [JSON.stringify(call)],
  });
  return rows[0]?.outcome ?? "lost";
}
