/** Says whether transactions have committed, so that polls need not look for what they have read already. */
export interface Commits {
  /** Grows with the commits of all connections. */
  readonly version: number;
  /** Calls back once, as soon as the version is another one. Returns what ends the wait. */
  onceAfter(version: number, callBack: () => void): () => void;
  /** Resolves as soon as the version is another one, or when the signal aborts. */
  after(version: number, signal: AbortSignal): Promise<void>;
}

/** Commits that nobody watches: there may always have been one. */
export const UNWATCHED: Commits = {
  version: Number.NaN,
  onceAfter: (_version, callBack) => {
    callBack();
    return () => {};
  },
  after: async () => {},
};
