import pg from "pg";

/** Errors that an administrator can fix, with the fix. */
const REASONS: Readonly<Record<string, string>> = {
  "42501": "its login may not replicate; as a superuser: alter role sb_replica replication",
  "28000": "its login sb_replica is missing or may not sign in for replication",
  "28P01": "its login sb_replica is missing or has another password",
  "3D000": "the database does not exist",
  "42704": "a publication is missing; run the migrations",
  "53300": "all places for replication are taken; raise max_wal_senders",
  "53400": "all replication slots are taken; raise max_replication_slots",
  "55000": "the server does not decode its WAL; set wal_level to logical and restart PostgreSQL",
};

/** Another process, which has the replication slot, has found that the feed is unavailable. */
export class FeedUnavailableError extends Error {
  override readonly name = "FeedUnavailableError";
}

/** Why the feed is unavailable when an administrator must act; null for transient errors. */
export function explainUnavailable(error: unknown): string | null {
  if (error instanceof FeedUnavailableError) return error.message;
  const code = error instanceof pg.DatabaseError ? error.code : undefined;
  const reason = code === undefined ? undefined : REASONS[code];
  return reason === undefined ? null : `Realtime is not available: ${reason}`;
}
