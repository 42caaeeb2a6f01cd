import { readerOf } from "../feed/read-column.ts";
import type { Transaction } from "../feed/row-change.ts";

/** As in `realtime.recheck`. */
const RECHECK_PREFIX = "realtime.recheck";

/** The private topics whose access a transaction may have changed, with the users concerned; null when there are none. */
export function findAccessChanges({ changes, messages }: Transaction): Map<string, Set<string> | null> | null {
  const found = new Map<string, Set<string> | null>();
  for (const { relation, oldRecord } of changes) {
    // The row before the change is absent from an insert, which ends no access.
    if (relation.schema !== "public" || relation.name !== "swarm_members" || oldRecord === null) continue;
    const read = readerOf(relation, oldRecord);
    const [swarmId, userId] = [read("swarm_id"), read("user_id")];
    if (typeof swarmId !== "string" || typeof userId !== "string") continue;
    for (const topic of [`swarm:${swarmId}`, `swarm-agents:${swarmId}`])
      found.set(topic, (found.get(topic) ?? new Set()).add(userId));
  }
  for (const { prefix, content } of messages) if (prefix === RECHECK_PREFIX) found.set(content.toString(), null);
  return found.size === 0 ? null : found;
}
