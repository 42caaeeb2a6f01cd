import type { NodeDescription } from "./describe-node.ts";

/** What the operator is told, which only the services know. */
export interface ServedPages {
  /** Where the service shows its documentation; null when no extension does. */
  readonly docsUrl: string | null;
  /** Whether this node serves the console. */
  readonly hasConsole: boolean;
}

/** A service that runs, in this process or in several. */
export interface RunningService extends NodeDescription, ServedPages {
  /** Rejects when a critical worker has failed. */
  readonly failed: Promise<never>;
  /** From now on `/ready` answers 503, and connections end with their next response; everything is still served. */
  leave(): void;
  stop(): Promise<void>;
}
