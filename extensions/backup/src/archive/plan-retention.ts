import type { ListedChain } from "./names.ts";

interface RetainedBase {
  readonly chain: string;
  readonly base: string;
  /** Where the WAL begins that it needs: the start of a file of `pg_wal`. */
  readonly walStart: bigint;
}

interface RetentionPlan {
  /** In the order in which they are removed: whatever is left after an interruption is complete or is removed next time. */
  readonly names: readonly string[];
  readonly bases: number;
}

/**
 * What can be removed when the newest `keep` complete base backups stay, with all WAL that they need. `current` is the chain that
 * is being written; nothing of it is removed that a base backup may still need.
 */
export function planRetention(options: {
  readonly chains: readonly ListedChain[];
  /** Every complete base backup, oldest first. */
  readonly bases: readonly RetainedBase[];
  readonly keep: number;
  readonly current: string;
}): RetentionPlan {
  const { chains, bases, keep, current } = options;
  const kept = bases.slice(-keep);
  const isKept = (chain: string, base: string): boolean => kept.some((b) => b.chain === chain && b.base === base);
  const removed = new Set<string>();
  const remove = (names: readonly string[]): void => {
    for (const name of names) removed.add(name);
  };
  let count = 0;
  for (const chain of chains) {
    const needed = kept.filter((base) => base.chain === chain.id).map(({ walStart }) => walStart);
    const newest = chain.bases.findLast(({ isComplete }) => isComplete)?.id ?? "";
    for (const { id, isComplete, names } of chain.bases) {
      // An incomplete one that is newer than every complete one may be in progress.
      if (isKept(chain.id, id) || (!isComplete && chain.id === current && id > newest)) continue;
      if (isComplete) count += 1;
      remove(names);
    }
    if (chain.id !== current && needed.length === 0) {
      // The description comes last: until then the rest of the chain is found again.
      remove(chain.names.filter((name) => !name.endsWith("/chain.json")));
      remove(chain.names);
      continue;
    }
    if (needed.length === 0) continue;
    const first = needed.reduce((lowest, lsn) => (lsn < lowest ? lsn : lowest));
    remove(chain.wal.filter(({ end }) => end <= first).map(({ name }) => name));
    remove(chain.figures.filter(({ lsn }) => lsn < first).map(({ name }) => name));
  }
  return { names: [...removed], bases: count };
}
