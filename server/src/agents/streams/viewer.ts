/** What a caller may see of a run. */
export interface Viewer {
  readonly isManager: boolean;
  readonly ownAgentIds: readonly string[];
}
