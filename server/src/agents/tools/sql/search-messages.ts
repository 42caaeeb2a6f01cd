import type pg from "pg";

interface FoundMessage {
  readonly seq: string;
  readonly sender_name: string;
  readonly sender_type: string;
  readonly created_at: Date;
  /** The text around the first match. */
  readonly excerpt: string;
}

/** Only the newest messages are searched: a scan of a long history takes too long. */
const LAST_MESSAGES = 5_000;
const EXCERPT_CHARS = 400;
const CHARS_BEFORE = 150;

const SEARCH = `
  select m.seq, m.sender_name, m.sender_type, m.created_at,
         substr(m.content, greatest(1, m.place - ${CHARS_BEFORE}), ${EXCERPT_CHARS}) as excerpt
  from (select r.*, position(lower($2) in lower(r.content)) as place
        from (select seq, sender_name, sender_type, created_at, content
              from public.messages
              where swarm_id = $1 and deleted_at is null and content is not null
              order by seq desc limit ${LAST_MESSAGES}) r) m
  where m.place > 0
  order by m.seq desc
  limit $3`;

/** Searches the messages of one swarm, newest first. */
export async function searchMessages(
  pool: pg.Pool,
  { swarmId, text, limit }: { readonly swarmId: string; readonly text: string; readonly limit: number },
): Promise<readonly FoundMessage[]> {
  const { rows } = await pool.query<FoundMessage>(SEARCH, [swarmId, text, limit]);
  return rows;
}
