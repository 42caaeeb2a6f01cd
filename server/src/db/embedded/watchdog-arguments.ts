/** The arguments of a watchdog: paths only, because all accounts can read command lines. */
export interface WatchdogArguments {
  readonly clusterDir: string;
  readonly pgCtl: string;
  readonly lockFolders: readonly string[];
}

/** Sent before the pipe closes when PostgreSQL has stopped already. */
export const RELEASE_MESSAGE = "released";

export function parseWatchdogArguments(text: string): WatchdogArguments {
  const value: unknown = JSON.parse(text);
  if (
    typeof value !== "object" ||
    value === null ||
    !("clusterDir" in value && typeof value.clusterDir === "string") ||
    !("pgCtl" in value && typeof value.pgCtl === "string") ||
    !("lockFolders" in value && Array.isArray(value.lockFolders))
  ) {
    throw new TypeError("the arguments of the watchdog are incomplete");
  }
  return { clusterDir: value.clusterDir, pgCtl: value.pgCtl, lockFolders: value.lockFolders.map(String) };
}
