import { readdir } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { loadLocationRecord } from "./location-record.ts";
import { clusterPath, recordedHome, removeCopy } from "./place-cluster.ts";
import { isProcessAlive } from "./process-state.ts";
import { stopCluster } from "./stop-cluster.ts";

const UNFINISHED = "restoring";
const THROW_AWAY = "verified-copy";

/** Where a copy is tried out: in the folder, or beside the data directory. */
export function throwAwayPath(dataDir: string, folder: string | null): string {
  return folder === null ? `${dataDir}.${THROW_AWAY}` : join(resolve(folder), THROW_AWAY);
}

/** Removes the data directory that the work leaves under the temporary name, and those of processes that were killed. */
export async function withDraft<T>(target: string, work: (draft: string) => Promise<T>): Promise<T> {
  await removeAbandonedDrafts(target);
  const draft = join(dirname(target), `${prefixOf(target)}${process.pid}`);
  await removeDraft(draft);
  try {
    return await work(draft);
  } finally {
    // Moved into place, it has another name.
    await removeCopy(draft);
  }
}

/** Removes the drafts of a target whose processes were killed. */
export async function removeAbandonedDrafts(target: string): Promise<void> {
  const prefix = prefixOf(target);
  for (const name of await readdir(dirname(target)).catch(() => [])) {
    const pid = Number(name.slice(prefix.length));
    if (!name.startsWith(prefix) || !Number.isInteger(pid) || isProcessAlive(pid)) continue;
    await removeDraft(join(dirname(target), name));
  }
}

/** A killed process may have left a recovery that still runs. */
async function removeDraft(draft: string): Promise<void> {
  const record = await loadLocationRecord(draft).catch(() => null);
  if (record !== null) await stopCluster({ clusterDir: clusterPath(recordedHome(draft, record)) });
  await removeCopy(draft);
}

function prefixOf(target: string): string {
  return `.${basename(target)}.${UNFINISHED}-`;
}
