import type { Archive, BaseDescription, ChainDescription } from "./archive.ts";
import { joinWal, type JoinedWal } from "./join-wal.ts";
import { parseLsn, renderLsn, segmentStart } from "./lsn.ts";
import type { ListedChain } from "./names.ts";

/** A base backup and the WAL from which a server can be recovered. */
export interface RestorePlan {
  readonly chain: ListedChain;
  readonly description: ChainDescription;
  readonly base: BaseDescription & { readonly id: string };
  readonly wal: JoinedWal;
  /** The time until which the WAL is complete. */
  readonly completeUntil: Date;
}

/** The archive cannot provide the requested state. */
class PlanError extends Error {
  override readonly name = "PlanError";
}

/** The newest base backup before the time, or the newest of all, with all later WAL of its chain. Reads descriptions only. */
export async function planRestore(archive: Archive, toTime: Date | null, signal: AbortSignal): Promise<RestorePlan> {
  const chains = (await archive.list(signal)).filter(({ hasDescription }) => hasDescription);
  const bases = await readBases(archive, chains, signal);
  if (bases.length === 0) throw new PlanError(`${archive.location} has no complete base backup.`);
  const chosen = toTime === null ? bases.at(-1) : bases.findLast(({ base }) => new Date(base.stoppedAt) <= toTime);
  if (chosen === undefined)
    throw new PlanError(`The archive begins at ${bases[0]?.base.stoppedAt}. Choose that time or a later one.`);
  const { chain, base } = chosen;
  const description = await archive.getChain(chain.id, signal);
  const wal = joinWal(chain.wal, segmentStart(parseLsn(base.startLsn), BigInt(description.segmentBytes)));
  const status = await archive.findStatus(chain.id, signal);
  const needed = [base.stopLsn, ...(status === null ? [] : [status.lsn])].map((lsn) => parseLsn(lsn));
  for (const lsn of needed)
    if (wal.end < lsn)
      throw new PlanError(`The WAL from ${renderLsn(wal.end)} to ${renderLsn(lsn)} is missing in the archive.`);
  const times = [...wal.pieces.map(({ completeAt }) => completeAt), ...(status === null ? [] : [new Date(status.at)])];
  const completeUntil = times.reduce((latest, time) => (time > latest ? time : latest), new Date(base.stoppedAt));
  if (toTime !== null && completeUntil < toTime) {
    const later = bases.find((candidate) => candidate.chain.id > chain.id);
    throw new PlanError(
      `The archive has nothing between ${completeUntil.toISOString()} and ${later?.base.stoppedAt ?? "now"}. ` +
        "Choose a time outside of that, or --to-latest.",
    );
  }
  return { chain, description, base, wal, completeUntil };
}

/** Every complete base backup, oldest first. */
export async function readBases(
  archive: Archive,
  chains: readonly ListedChain[],
  signal: AbortSignal,
): Promise<readonly { readonly chain: ListedChain; readonly base: BaseDescription & { readonly id: string } }[]> {
  const found = [];
  for (const chain of chains)
    for (const { id } of chain.bases.filter(({ isComplete }) => isComplete))
      found.push({ chain, base: { ...(await archive.getBase(chain.id, id, signal)), id } });
  return found.sort((one, other) => (one.base.stoppedAt < other.base.stoppedAt ? -1 : 1));
}
