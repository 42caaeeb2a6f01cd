import type { Framework } from "@swarmbase/sdk";

/** The capacity that one run uses. */
export interface RunPlace {
  /** Must be called when the run has ended or does not start. Returns whether another run may be waiting for capacity. */
  release(): boolean;
}

/** How many queued runs a node may claim, in all, for each user and for each provider with a limit. */
export interface RunCapacity {
  readonly maxRuns: number;
  /** For a user without runs here. */
  readonly maxRunsPerUser: number;
  /** The users with runs here. */
  readonly users: readonly string[];
  /** In the order of `users`. */
  readonly maxRunsByUser: readonly number[];
  readonly frameworks: readonly Framework[];
  /** In the order of `frameworks`. */
  readonly maxRunsByFramework: readonly number[];
  /** Whether queued runs may have to stay queued here. */
  readonly isLimited: boolean;
  /** Call when the claimed runs have taken their places. */
  close(): void;
}

export interface PlacedRun {
  /** Of all agents that may speak in it. */
  readonly frameworks: readonly Framework[];
  /** Who started it; null counts for nobody. */
  readonly userId: string | null;
}

export interface RunPlaces {
  /** Returns null when the run has to be queued. */
  reserve(run: PlacedRun): RunPlace | null;
  /** For a run that was started, even when the node is full. */
  take(run: PlacedRun): RunPlace;
  openClaim(): RunCapacity;
  /** Whether a claim may have skipped runs that can start: it ends where a user or a provider has no capacity left. */
  mayHaveSkipped(claimed: readonly PlacedRun[]): boolean;
}

interface RunPlacesOptions {
  readonly concurrency: number;
  /** The share of `concurrency` that the runs of one provider can use. */
  readonly providerSharePercent: number;
  /** The share of `concurrency` that the runs of one user can use. */
  readonly userSharePercent: number;
  /** The frameworks whose runs have their own limit. May change at any time. */
  boundedFrameworks(): readonly Framework[];
}

/**
 * A node's capacity for runs. A run counts for its user and for every provider that its agents use, from its start to its end, so
 * a user with many long runs, and a provider that hangs, block only their share of the capacity.
 */
export function createRunPlaces(options: RunPlacesOptions): RunPlaces {
  const { concurrency } = options;
  const toShare = (percent: number): number => Math.max(1, Math.floor((concurrency * percent) / 100));
  const [share, userShare] = [toShare(options.providerSharePercent), toShare(options.userSharePercent)];
  const countsByUser = new Map<string, number>();
  const counts = new Map<Framework, number>();
  /** The capacity that a claim in progress can use. */
  const held = new Map<Framework, number>();
  let total = 0;

  const countOf = (framework: Framework): number => counts.get(framework) ?? 0;
  const capacityOf = (framework: Framework): number =>
    Math.max(0, share - countOf(framework) - (held.get(framework) ?? 0));
  const isUserFull = (userId: string | null): boolean =>
    userId !== null && (countsByUser.get(userId) ?? 0) >= userShare;
  const isFull = ({ frameworks, userId }: PlacedRun): boolean => {
    if (total >= concurrency || isUserFull(userId)) return true;
    const bounded = options.boundedFrameworks();
    return frameworks.some((framework) => bounded.includes(framework) && capacityOf(framework) === 0);
  };
  const add = ({ frameworks, userId }: PlacedRun, by: 1 | -1): void => {
    total += by;
    for (const framework of frameworks) counts.set(framework, countOf(framework) + by);
    if (userId === null) return;
    const count = (countsByUser.get(userId) ?? 0) + by;
    if (count > 0) countsByUser.set(userId, count);
    else countsByUser.delete(userId);
  };
  const take: RunPlaces["take"] = ({ frameworks, userId }) => {
    const run = { frameworks: [...new Set(frameworks)], userId };
    let isTaken = true;
    add(run, 1);
    return {
      release() {
        if (!isTaken) return false;
        isTaken = false;
        const wasFull = isFull(run);
        add(run, -1);
        return wasFull;
      },
    };
  };
  return {
    take,
    reserve: (run) => (isFull(run) ? null : take(run)),
    mayHaveSkipped: (claimed) =>
      claimed.length > 0 &&
      (options.boundedFrameworks().length > 0 || claimed.some(({ userId }) => isUserFull(userId))),
    openClaim() {
      const frameworks = options.boundedFrameworks();
      // Half of it, so that runs which are admitted during the claim find capacity too.
      const maxRunsByFramework = frameworks.map((framework) => Math.ceil(capacityOf(framework) / 2));
      for (const [index, framework] of frameworks.entries()) held.set(framework, maxRunsByFramework[index] ?? 0);
      const maxRuns = Math.max(0, concurrency - total);
      const maxRunsByUser = [...countsByUser.values()].map((count) => Math.max(0, userShare - count));
      return {
        maxRuns,
        maxRunsPerUser: userShare,
        users: [...countsByUser.keys()],
        maxRunsByUser,
        frameworks,
        maxRunsByFramework,
        isLimited: [maxRuns, ...maxRunsByUser, ...maxRunsByFramework].includes(0),
        close: () => held.clear(),
      };
    },
  };
}
