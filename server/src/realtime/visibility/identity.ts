import type { Principal } from "../../db/index.ts";
import type { Lane } from "./lane.ts";

/** Everybody whom row rules cannot tell apart: they are judged once. */
export class Identity {
  readonly key: string;
  readonly caller: Principal;
  /** As PostgreSQL would write it; null for nobody in particular. */
  readonly userId: string | null;
  readonly lane: Lane;
  subscribers = 0;

  constructor(caller: Principal, lane: Lane) {
    this.key = identityKey(caller);
    this.caller = caller;
    this.userId = userIdOf(caller);
    this.lane = lane;
  }
}

const keys = new WeakMap<object, string>();

/** Policies may ask for any claim, so callers are the same only when all of them are. */
export function identityKey({ role, claims }: Principal): string {
  let text = keys.get(claims);
  if (text === undefined) {
    text = JSON.stringify(claims);
    keys.set(claims, text);
  }
  return `${role} ${text}`;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** From the claim that the database reads too. */
export function userIdOf({ claims }: Principal): string | null {
  const { sub } = claims;
  return typeof sub === "string" && UUID.test(sub) ? sub.toLowerCase() : null;
}
