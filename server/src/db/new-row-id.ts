import { randomUUID } from "node:crypto";

/**
 * A UUID of version 7, as the database generates them: successive rows are neighbours in an index. The random part is that
 * of a UUID of version 4, for which Node.js keeps random bytes in reserve.
 */
export function newRowId(now: Date): string {
  const time = now.getTime().toString(16).padStart(12, "0");
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`;
}
