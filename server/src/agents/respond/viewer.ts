/** What of a run somebody may see. */
export interface Viewer {
  readonly isManager: boolean;
  readonly ownAgentIds: readonly string[];
}
