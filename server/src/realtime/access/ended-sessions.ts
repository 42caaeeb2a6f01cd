import type { Clock } from "../../time/index.ts";
import type { Principal } from "../../db/index.ts";
import type { SessionsEnded } from "../changes.ts";
import { readerOf } from "../feed/read-column.ts";
import type { RowChange } from "../feed/row-change.ts";

const RETENTION_MS = 60_000;

/** Recently ended sessions, for joins that check the session before it ends and create their channel afterwards. */
export class EndedSessions {
  readonly #clock: Clock;
  /** In the order of time, oldest first. */
  readonly #endedAtMs = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add({ sessionIds, userIds }: SessionsEnded): void {
    const nowMs = this.#clock.now().getTime();
    for (const [id, endedAtMs] of this.#endedAtMs) {
      if (nowMs - endedAtMs < RETENTION_MS) break;
      this.#endedAtMs.delete(id);
    }
    for (const id of [...sessionIds, ...userIds]) {
      this.#endedAtMs.delete(id);
      this.#endedAtMs.set(id, nowMs);
    }
  }

  /** Whether the session or user ended at or after this time. A user may have signed in again since. */
  hasEndedSince({ session }: Principal, askedAtMs: number): boolean {
    if (session === null) return false;
    return [session.sessionId, session.userId].some((id) => {
      const endedAtMs = id === null ? undefined : this.#endedAtMs.get(id);
      return endedAtMs !== undefined && endedAtMs >= askedAtMs;
    });
  }
}

/** The sessions and users whose access a transaction ended; null when there are none. */
export function findEndedSessions(changes: readonly RowChange[], now: Date): SessionsEnded | null {
  const sessionIds: string[] = [];
  const userIds: string[] = [];
  for (const { relation, type, record, oldRecord } of changes) {
    if (relation.schema !== "auth") continue;
    const read = readerOf(relation, record ?? oldRecord ?? []);
    const id = read("id");
    if (typeof id !== "string") continue;
    const hasEnded =
      type === "DELETE" ||
      ["suspended_until", "banned_until", "deleted_at"].some((column) => isInEffect(read(column), column, now));
    if (!hasEnded || type === "INSERT") continue;
    if (relation.name === "sessions") sessionIds.push(id);
    if (relation.name === "users") userIds.push(id);
  }
  return sessionIds.length + userIds.length === 0 ? null : { sessionIds, userIds };
}

/** The sessions whose rows a transaction updated. The feed has too few of their columns to tell what changed. */
export function findUpdatedSessions(changes: readonly RowChange[]): string[] {
  return changes.flatMap(({ relation, type, record }) => {
    if (type !== "UPDATE" || record === null || relation.schema !== "auth" || relation.name !== "sessions") return [];
    return readerOf(relation, record)("id") ?? [];
  });
}

function isInEffect(value: string | null | undefined, column: string, now: Date): boolean {
  if (value === null || value === undefined || value === "-infinity") return false;
  if (column === "deleted_at" || value === "infinity") return true;
  // The replication stream uses UTC.
  const until = Date.parse(value.replace(" ", "T").replace(/\+00$/, "Z"));
  return Number.isNaN(until) || until > now.getTime();
}
