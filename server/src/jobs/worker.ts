export interface Worker {
  readonly name: string;
  /** The service cannot go on without it: when it ends or fails by itself everything is stopped, instead of a restart. */
  readonly isCritical?: boolean;
  /** Resolves soon after the signal is aborted, and not before. */
  run(signal: AbortSignal): Promise<void>;
}
