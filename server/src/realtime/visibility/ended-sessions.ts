import type { SessionsEnded } from "../changes.ts";
import type { RowChange } from "../feed/row-change.ts";
import { readerOf } from "./row-image.ts";

/** Whose access a transaction has ended; null for nobody's. */
export function findEnded(changes: readonly RowChange[], now: Date): SessionsEnded | null {
  const sessionIds: string[] = [];
  const userIds: string[] = [];
  for (const { relation, type, record, oldRecord } of changes) {
    if (relation.schema !== "auth") continue;
    const read = readerOf(relation, record ?? oldRecord ?? []);
    const id = read("id");
    if (typeof id !== "string") continue;
    const isOver =
      type === "DELETE" ||
      ["suspended_until", "banned_until", "deleted_at"].some((column) => holds(read(column), column, now));
    if (!isOver || type === "INSERT") continue;
    if (relation.name === "sessions") sessionIds.push(id);
    if (relation.name === "users") userIds.push(id);
  }
  return sessionIds.length + userIds.length === 0 ? null : { sessionIds, userIds };
}

function holds(value: string | null | undefined, column: string, now: Date): boolean {
  if (value === null || value === undefined || value === "-infinity") return false;
  if (column === "deleted_at" || value === "infinity") return true;
  // The stream writes in UTC.
  const until = Date.parse(value.replace(" ", "T").replace(/\+00$/, "Z"));
  return Number.isNaN(until) || until > now.getTime();
}
