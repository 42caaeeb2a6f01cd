import { renderLsn } from "./lsn.ts";
import type { ListedWal } from "./names.ts";

export interface JoinedWal {
  /** In order; the next one begins at or before the end of the one before. */
  readonly pieces: readonly ListedWal[];
  /** The end of the last piece. */
  readonly end: bigint;
}

/** WAL is missing in the middle of a chain. */
export class GapError extends Error {
  override readonly name = "GapError";
}

/**
 * The objects that have the WAL from a position to the end of the chain. Two processes that overlap for a moment store the same
 * bytes under different ends, so pieces may overlap.
 */
export function joinWal(wal: readonly ListedWal[], from: bigint): JoinedWal {
  const pieces: ListedWal[] = [];
  let end = from;
  let best: ListedWal | null = null;
  for (const candidate of [...wal].sort((a, b) => (a.start < b.start ? -1 : 1))) {
    if (candidate.end <= end) continue;
    if (candidate.start > end) {
      if (best !== null) [end, best] = [take(pieces, best), null];
      if (candidate.end <= end) continue;
      if (candidate.start > end)
        throw new GapError(
          `The WAL from ${renderLsn(end)} to ${renderLsn(candidate.start)} is missing in the archive.`,
        );
    }
    if (best === null || candidate.end > best.end) best = candidate;
  }
  if (best !== null) end = take(pieces, best);
  return { pieces, end };
}

/** Where the WAL of a chain ends that begins at a position. Retention may have removed the beginning. */
export function findEnd(wal: readonly ListedWal[], start: bigint): bigint {
  const [first] = wal;
  return first === undefined ? start : joinWal(wal, first.start).end;
}

function take(pieces: ListedWal[], piece: ListedWal): bigint {
  pieces.push(piece);
  return piece.end;
}
