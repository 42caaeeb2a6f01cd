import { setTimeout as sleep } from "node:timers/promises";
import type { ExtensionDatabase } from "swarmbase/extension";
import { findTriggers, type FoundTrigger } from "../sql/trigger-row.ts";

/** Between the beginnings of two statements: a storm of calls shares few of them, and a call that comes alone does not wait. */
const GAP_MS = 5;

type Find = (id: string) => Promise<FoundTrigger | null>;

/**
 * Looks triggers up as they are after the call has come, with one statement at a time: calls that arrive meanwhile share the next one, so
 * that many of them, also of nobody, cost the database few statements.
 */
export function createFindTrigger(database: Pick<ExtensionDatabase, "asService">): Find {
  let waiting: PromiseWithResolvers<ReadonlyMap<string, FoundTrigger>> | null = null;
  let ids = new Set<string>();
  let isBusy = false;
  let lastAtMs = Number.NEGATIVE_INFINITY;

  const lookUpAll = async (): Promise<void> => {
    isBusy = true;
    while (waiting !== null) {
      const waitMs = lastAtMs + GAP_MS - performance.now();
      if (waitMs > 0) await sleep(waitMs);
      lastAtMs = performance.now();
      const [batch, wanted] = [waiting, [...ids]];
      [waiting, ids] = [null, new Set()];
      try {
        const rows = await database.asService((query) => findTriggers(query, wanted));
        batch.resolve(new Map(rows.map((row) => [row.id, row])));
      } catch (error) {
        batch.reject(error);
      }
    }
    isBusy = false;
  };

  return async (id) => {
    ids.add(id);
    waiting ??= Promise.withResolvers();
    const { promise } = waiting;
    if (!isBusy) void lookUpAll();
    return (await promise).get(id) ?? null;
  };
}
