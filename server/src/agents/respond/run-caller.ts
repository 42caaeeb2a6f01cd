/** On whose behalf a run is started or steered. */
export interface RunCaller {
  /** The service role acts for the user whom it names, and may name nobody where no user is needed. */
  readonly userId: string | null;
  readonly isServiceRole: boolean;
  /** Must go on living while a run is followed; null for the service role. */
  readonly session: RunSession | null;
}

export interface RunSession {
  /** Null when the token has none: then only the user must be there. */
  readonly sessionId: string | null;
  /** 0 is no limit. */
  readonly inactivitySeconds: number;
}

/** What of a run somebody may see. */
export interface Viewer {
  readonly isManager: boolean;
  readonly ownAgentIds: readonly string[];
}
