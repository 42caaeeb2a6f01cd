import type { Principal } from "../../../db/index.ts";
import type { OrderedQueue } from "../checks/ordered-queue.ts";

/** All callers that row-level policies cannot distinguish. Each row is checked once for all of them. */
export class Identity {
  readonly key: string;
  readonly caller: Principal;
  /** In lower case, as PostgreSQL writes it; null for a caller without a user. */
  readonly userId: string | null;
  readonly queue: OrderedQueue;
  subscriptions = 0;

  constructor(caller: Principal, queue: OrderedQueue) {
    this.key = identityKey(caller);
    this.caller = caller;
    this.userId = userIdOf(caller);
    this.queue = queue;
  }
}

const keys = new WeakMap<object, string>();

/** Policies may use any claim, so callers are the same only when all their claims are. */
export function identityKey({ role, claims }: Principal): string {
  let text = keys.get(claims);
  if (text === undefined) {
    text = JSON.stringify(claims);
    keys.set(claims, text);
  }
  return `${role} ${text}`;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** From the claim that auth.uid() reads. */
export function userIdOf({ claims }: Principal): string | null {
  const { sub } = claims;
  return typeof sub === "string" && UUID.test(sub) ? sub.toLowerCase() : null;
}
