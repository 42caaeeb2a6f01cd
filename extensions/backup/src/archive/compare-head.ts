import type { Archive } from "./archive.ts";
import { findEnd } from "./join-wal.ts";
import { parseLsn, renderLsn } from "./lsn.ts";

/**
 * Throws when the archive lacks what its head says that it has. Objects name what follows them nowhere, so without the head the
 * newest ones could be deleted unnoticed.
 */
export async function compareHead(archive: Archive, signal: AbortSignal): Promise<void> {
  // Before the names: an object is stored before the head that counts it.
  const head = await archive.findHead(signal);
  const chains = await archive.list(signal);
  if (head === null) throw new HeadError(`The head of ${archive.location} is missing, which says what is the newest.`);
  const since = `although the archive had it at ${head.at}`;
  const chain = chains.find(({ id, hasDescription }) => id === head.chain && hasDescription);
  if (chain === undefined) throw new HeadError(`The chain ${head.chain} is missing, ${since}.`);
  if (head.base !== null && !chain.bases.some(({ id, isComplete }) => id === head.base && isComplete))
    throw new HeadError(`The base backup ${head.base} is missing, ${since}.`);
  const { startLsn } = await archive.getChain(chain.id, signal);
  const end = findEnd(chain.wal, parseLsn(startLsn));
  if (end < parseLsn(head.lsn))
    throw new HeadError(`The WAL from ${renderLsn(end)} to ${head.lsn} is missing, ${since}.`);
}

/** Newest objects of the archive are gone. */
class HeadError extends Error {
  override readonly name = "HeadError";
}
