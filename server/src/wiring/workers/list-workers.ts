import { createAuthHousekeeping, sendsMails } from "../../auth/index.ts";
import { watchDatabase } from "../../db/index.ts";
import { createGarbageCollection, type Worker } from "../../jobs/index.ts";
import type { OpenNodeContext } from "../node-context.ts";
import type { Services } from "../services/services.ts";

/** The workers of the services, by the roles of the node. A restored copy holds those that may repeat work of its original. */
export function listWorkers(
  { settings, database, copyHold }: OpenNodeContext,
  { auth, outbox, accountMails, extensions, webhooks, agents, rest, realtime }: Services,
): readonly Worker[] {
  const roles = new Set(settings.roles);
  return [
    createGarbageCollection(),
    { name: "database-watch", run: (until) => watchDatabase(database, until) },
    { name: "key-watch", run: (until) => auth.keyRing.watch(until, { commits: database.commits }) },
    { name: "schema-watch", run: (until) => rest.watch(until) },
    ...extensions.nodeWorkers,
    ...webhooks.nodeWorkers,
    ...agents.nodeWorkers,
    ...(roles.has("worker")
      ? [
          createAuthHousekeeping(auth, { settings, random: Math.random }),
          ...copyHold.over([...webhooks.workers, ...agents.workers, ...extensions.workers]),
        ]
      : []),
    // Only nodes that serve requests know the address for the links in mails. Mails that are written to files are not held.
    ...(roles.has("api")
      ? [...copyHold.over([outbox.worker]), ...(sendsMails(settings) ? copyHold.over([accountMails]) : [accountMails])]
      : []),
    ...(roles.has("realtime") ? [realtime.changes.worker, ...realtime.module.workers] : []),
  ];
}
