import type { Framework } from "@swarmbase/sdk";

/** What one run takes of a node's capacity. */
export interface RunPlace {
  /** Must be called when the run has ended or does not start. Returns whether another run may have waited for it. */
  release(): boolean;
}

/** How many waiting runs a node may claim, in all and for each provider that has a bound. */
export interface ClaimCapacity {
  readonly maxRuns: number;
  readonly frameworks: readonly Framework[];
  /** In the order of `frameworks`. */
  readonly rooms: readonly number[];
  /** The claim is over: its runs have taken their places. */
  close(): void;
}

export interface RunPlaces {
  /** Null: a run with agents of these frameworks has to wait. */
  reserve(frameworks: readonly Framework[]): RunPlace | null;
  /** For a run that was started, whether or not there is room. */
  take(frameworks: readonly Framework[]): RunPlace;
  openClaim(): ClaimCapacity;
}

export interface RunPlacesOptions {
  readonly concurrency: number;
  /** Of `concurrency`, how much the runs of one provider take at most. */
  readonly providerSharePercent: number;
  /** Whose runs have a bound of their own; may change at any time. */
  boundedFrameworks(): readonly Framework[];
}

/**
 * A node's capacity for runs. A run counts for every provider that its agents use, from its start to its end: a provider that hangs
 * then holds its share of the places and no more, whichever agent of a run waits for it.
 */
export function createRunPlaces(options: RunPlacesOptions): RunPlaces {
  const { concurrency } = options;
  const share = Math.max(1, Math.floor((concurrency * options.providerSharePercent) / 100));
  const counts = new Map<Framework, number>();
  /** What a claim that is under way may still take. */
  const held = new Map<Framework, number>();
  let total = 0;

  const countOf = (framework: Framework): number => counts.get(framework) ?? 0;
  const roomOf = (framework: Framework): number => Math.max(0, share - countOf(framework) - (held.get(framework) ?? 0));
  const isFull = (frameworks: readonly Framework[]): boolean => {
    if (total >= concurrency) return true;
    const bounded = options.boundedFrameworks();
    return frameworks.some((framework) => bounded.includes(framework) && roomOf(framework) === 0);
  };
  const add = (frameworks: readonly Framework[], by: 1 | -1): void => {
    total += by;
    for (const framework of frameworks) counts.set(framework, countOf(framework) + by);
  };
  const take: RunPlaces["take"] = (frameworks) => {
    const own = [...new Set(frameworks)];
    let isTaken = true;
    add(own, 1);
    return {
      release() {
        if (!isTaken) return false;
        isTaken = false;
        const wasFull = isFull(own);
        add(own, -1);
        return wasFull;
      },
    };
  };
  return {
    take,
    reserve: (frameworks) => (isFull(frameworks) ? null : take(frameworks)),
    openClaim() {
      const frameworks = options.boundedFrameworks();
      // Half, so that runs which are admitted meanwhile find room too.
      const rooms = frameworks.map((framework) => Math.ceil(roomOf(framework) / 2));
      for (const [at, framework] of frameworks.entries()) held.set(framework, rooms[at] ?? 0);
      return { maxRuns: Math.max(0, concurrency - total), frameworks, rooms, close: () => held.clear() };
    },
  };
}
