import pg from "pg";
import { signatureRequiredError } from "../request-signing/check-request-signature.ts";
import { type LifelessCode, lifelessError } from "./require-live-session.ts";

/** SQLSTATEs that private.require_live_session raises. */
const LIFELESS_STATES: ReadonlyMap<string | undefined, LifelessCode> = new Map([
  ["SB001", "session_not_found"],
  ["SB002", "user_not_found"],
  ["SB003", "user_banned"],
]);

/** SQLSTATE that private.refuse_unsigned raises. */
const UNSIGNED_STATE = "SB004";

/** What a client is told when the enter statement refused it; every other error comes back as it is. */
export function translateLifeless(error: unknown): unknown {
  if (!(error instanceof pg.DatabaseError)) return error;
  if (error.code === UNSIGNED_STATE) return signatureRequiredError();
  const code = LIFELESS_STATES.get(error.code);
  return code === undefined ? error : lifelessError(code);
}
