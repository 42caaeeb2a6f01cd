/** What a watchdog has to know, on its command line: paths only, because everybody can read command lines. */
export interface WatchdogOrder {
  readonly clusterDir: string;
  readonly pgCtl: string;
  readonly lockFolders: readonly string[];
}

/** Said before the pipe closes when PostgreSQL is already down. */
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
