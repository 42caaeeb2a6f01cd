import { type Change, type ChangedRow, readRow } from "./change.ts";
import { getClient } from "./client.ts";
import { unwrap } from "./failure.ts";
import { inRange, newestAfter, type TimedRow, type TimeRange } from "./keyset.ts";

const MAX_ATTEMPTS = 100;
/** An attempt can be committed shortly after a newer one. */
const OVERLAP_MS = 15_000;

/** Reads the attempts since a time, at most 100. Their keys identify those that are listed already. */
export async function readAttemptsSince(sinceMs: number): Promise<readonly Change[]> {
  const since = new Date(sinceMs - OVERLAP_MS).toISOString();
  const rows = await readAttempts(selectAttempts().gte("created_at", since).limit(MAX_ATTEMPTS));
  return rows.map((row) => readRow("webhook_delivery_attempts", row));
}

interface AttemptPage {
  readonly last: TimedRow | null;
  readonly size: number;
  readonly signal: AbortSignal;
  readonly range: TimeRange;
}

/** Reads the attempts after a row, the newest first. */
export function readAttemptPage({ last, size, signal, range }: AttemptPage): Promise<readonly ChangedRow[]> {
  return readAttempts(inRange(selectAttempts(last), range).limit(size), signal);
}

function selectAttempts(last: TimedRow | null = null) {
  const query = getClient()
    .from("webhook_delivery_attempts")
    .select(
      "id, delivery_id, webhook_id, attempt, cause, url, status_code, error_code, error, response_time_ms, created_at",
    );
  return newestAfter(query, last);
}

/** Adds the event types, which only the deliveries have. */
async function readAttempts(
  query: ReturnType<typeof selectAttempts>,
  signal = new AbortController().signal,
): Promise<readonly ChangedRow[]> {
  const rows = await unwrap(query.abortSignal(signal));
  if (rows.length === 0) return [];
  const ids = [...new Set(rows.map(({ delivery_id }) => delivery_id))];
  const deliveries = await unwrap(
    getClient().from("webhook_deliveries").select("id, event_type").in("id", ids).abortSignal(signal),
  );
  const types = new Map(deliveries.map(({ id, event_type }) => [id, event_type]));
  return rows.map((row) => ({ ...row, event_type: types.get(row.delivery_id) ?? null }));
}
