import type { Framework } from "@swarmbase/sdk";

/** The capacity that one run uses. */
export interface RunPlace {
  /** Must be called when the run has ended or does not start. Returns whether another run may be waiting for capacity. */
  release(): boolean;
}

/** How many queued runs a node may claim, in all and for each provider with a limit. */
export interface ClaimCapacity {
  readonly maxRuns: number;
  readonly frameworks: readonly Framework[];
  /** In the order of `frameworks`. */
  readonly maxRunsByFramework: readonly number[];
  /** Call when the claimed runs have taken their places. */
  close(): void;
}

export interface RunPlaces {
  /** Null: a run with agents of these frameworks has to be queued. */
  reserve(frameworks: readonly Framework[]): RunPlace | null;
  /** For a run that was started, even when the node is full. */
  take(frameworks: readonly Framework[]): RunPlace;
  openClaim(): ClaimCapacity;
}

export interface RunPlacesOptions {
  readonly concurrency: number;
  /** The share of `concurrency` that the runs of one provider can use. */
  readonly providerSharePercent: number;
  /** The frameworks whose runs have their own limit. May change at any time. */
  boundedFrameworks(): readonly Framework[];
}

/**
 * A node's capacity for runs. A run counts for every provider that its agents use, from its start to its end, so a provider that
 * hangs blocks only its share of the capacity.
 */
export function createRunPlaces(options: RunPlacesOptions): RunPlaces {
  const { concurrency } = options;
  const share = Math.max(1, Math.floor((concurrency * options.providerSharePercent) / 100));
  const counts = new Map<Framework, number>();
  /** The capacity that a claim in progress can use. */
  const held = new Map<Framework, number>();
  let total = 0;

  const countOf = (framework: Framework): number => counts.get(framework) ?? 0;
  const capacityOf = (framework: Framework): number =>
    Math.max(0, share - countOf(framework) - (held.get(framework) ?? 0));
  const isFull = (frameworks: readonly Framework[]): boolean => {
    if (total >= concurrency) return true;
    const bounded = options.boundedFrameworks();
    return frameworks.some((framework) => bounded.includes(framework) && capacityOf(framework) === 0);
  };
  const add = (frameworks: readonly Framework[], by: 1 | -1): void => {
    total += by;
    for (const framework of frameworks) counts.set(framework, countOf(framework) + by);
  };
  const take: RunPlaces["take"] = (frameworks) => {
    const unique = [...new Set(frameworks)];
    let isTaken = true;
    add(unique, 1);
    return {
      release() {
        if (!isTaken) return false;
        isTaken = false;
        const wasFull = isFull(unique);
        add(unique, -1);
        return wasFull;
      },
    };
  };
  return {
    take,
    reserve: (frameworks) => (isFull(frameworks) ? null : take(frameworks)),
    openClaim() {
      const frameworks = options.boundedFrameworks();
      // Half of it, so that runs which are admitted during the claim find capacity too.
      const maxRunsByFramework = frameworks.map((framework) => Math.ceil(capacityOf(framework) / 2));
      for (const [index, framework] of frameworks.entries()) held.set(framework, maxRunsByFramework[index] ?? 0);
      const maxRuns = Math.max(0, concurrency - total);
      return { maxRuns, frameworks, maxRunsByFramework, close: () => held.clear() };
    },
  };
}
