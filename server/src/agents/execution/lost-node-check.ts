import type pg from "pg";
import { expireLeases } from "./sql/manage-runs.ts";
import { type OtherNode, selectOtherNodes } from "./sql/node-sessions.ts";

/** A node without a session renews its leases every second. After a crash of the database, all nodes have to connect again. */
const GRACE_MS = 2_500;

interface FoundNodes {
  readonly lost: readonly string[];
  /** Others may be lost. */
  readonly isWaiting: boolean;
  /** No other node holds runs. */
  readonly isAlone: boolean;
}

/**
 * Returns a step that ends the leases of nodes which have no session and have renewed no lease for a while, so that their runs need not
 * wait until the leases expire.
 */
export function createLostNodeCheck(pool: pg.Pool, owner: string, nowMs: () => number) {
  let silent = new Map<string, OtherNode & { readonly sinceMs: number }>();
  return async (): Promise<FoundNodes> => {
    const before = silent;
    // A check that fails says nothing about the time until the next one.
    silent = new Map();
    const others = await selectOtherNodes(pool, owner);
    const lost: string[] = [];
    for (const node of others.filter(({ is_silent: isSilent }) => isSilent)) {
      const known = before.get(node.owner);
      const sinceMs = known?.expires_at === node.expires_at ? known.sinceMs : nowMs();
      if (nowMs() - sinceMs < GRACE_MS) silent.set(node.owner, { ...node, sinceMs });
      else if (await expireLeases(pool, node.owner, node.expires_at)) lost.push(node.owner);
    }
    return { lost, isWaiting: silent.size > 0, isAlone: others.length === 0 };
  };
}
