/** What starts a run in place of a call of its user. */
export interface RunOrigin {
  /** Names what starts the run, and so its conversations. */
  readonly startedBy: string;
  /** Stored with the run, for its readers. */
  readonly cause: Readonly<Record<string, unknown>>;
  /** Not null: the message has data of an outside sender. Tools that act for the user and can write need an approval, except these. */
  readonly outside: { readonly allowedTools: readonly string[] } | null;
  /** Of the run alone; each null is no limit. Null means that the run has none of its own. */
  readonly budget: { readonly maxTokens: number | null; readonly maxCostUsd: number | null } | null;
}
