import pg from "pg";
import { type LifelessCode, lifelessError } from "./require-live-session.ts";

/** SQLSTATEs that private.require_live_session raises. */
const LIFELESS_STATES: ReadonlyMap<string | undefined, LifelessCode> = new Map([
  ["SB001", "session_not_found"],
  ["SB002", "user_not_found"],
  ["SB003", "user_banned"],
]);

/** What a client is told when the enter statement found its session dead; every other error comes back as it is. */
export function translateLifeless(error: unknown): unknown {
  const code = error instanceof pg.DatabaseError ? LIFELESS_STATES.get(error.code) : undefined;
  return code === undefined ? error : lifelessError(code);
}
