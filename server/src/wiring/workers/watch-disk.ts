import { type DatabaseServer, measureStorage, watchStorage } from "../../db/index.ts";
import type { Worker } from "../../jobs/index.ts";
import type { NodeContext } from "../node-context.ts";

/** Reports a disk that fills up. None when the database is on another machine. */
export function watchDisk(
  { settings, observer }: Pick<NodeContext, "settings" | "observer">,
  { clusterDir }: DatabaseServer,
): readonly Worker[] {
  if (clusterDir === null) return [];
  const measure = () => measureStorage(clusterDir);
  return [{ name: "storage-watch", run: (until) => watchStorage({ settings, observer, measure }, until) }];
}
