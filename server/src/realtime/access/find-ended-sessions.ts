import type { SessionsEnded } from "../changes.ts";
import { readerOf } from "../feed/read-column.ts";
import type { RowChange } from "../feed/row-change.ts";

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

function isInEffect(value: string | null | undefined, column: string, now: Date): boolean {
  if (value === null || value === undefined || value === "-infinity") return false;
  if (column === "deleted_at" || value === "infinity") return true;
  // The replication stream uses UTC.
  const until = Date.parse(value.replace(" ", "T").replace(/\+00$/, "Z"));
  return Number.isNaN(until) || until > now.getTime();
}
