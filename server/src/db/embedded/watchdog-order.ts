/** The arguments of a watchdog: paths only, because all accounts can read command lines. */
export interface WatchdogOrder {
  readonly clusterDir: string;
  readonly pgCtl: string;
  readonly lockFolders: readonly string[];
}

/** Sent before the pipe closes when PostgreSQL has stopped already. */
export const RELEASE_WORD = "released";

export function parseWatchdogOrder(text: string): WatchdogOrder {
  const order: unknown = JSON.parse(text);
  if (
    typeof order !== "object" ||
    order === null ||
    !("clusterDir" in order && typeof order.clusterDir === "string") ||
    !("pgCtl" in order && typeof order.pgCtl === "string") ||
    !("lockFolders" in order && Array.isArray(order.lockFolders))
  ) {
    throw new TypeError("the watchdog's order is incomplete");
  }
  return { clusterDir: order.clusterDir, pgCtl: order.pgCtl, lockFolders: order.lockFolders.map(String) };
}
