import { useEffect } from "react";
import { dropReturnedError, getReturnedError } from "./session.ts";

const STALE = "The sign-in took too long, was completed before, or began in another browser. Please try again.";
/** By the code of the service, or of the provider where the service has none. */
const WORDS: ReadonlyMap<string, string> = new Map([
  ["access_denied", "You cancelled at the provider, or it did not let you in."],
  ["bad_code_verifier", STALE],
  ["bad_oauth_state", STALE],
  ["flow_state_expired", STALE],
  ["flow_state_not_found", STALE],
  ["identity_already_exists", "This account of the provider is connected to another user already."],
  ["insufficient_aal", "Sign in with your second factor first, and try again."],
  ["session_not_found", "Your session ended before the provider sent you back. Sign in, and try again."],
  ["signup_disabled", "There is no account for you here, and sign-up is closed."],
  ["user_banned", "This account is disabled."],
]);
const OTHER = "The provider could not sign you in. Please try again later.";
const OF_PROVIDER = "bad_oauth_callback";
/** Of a link in a mail. */
const OF_MAIL = "otp_expired";

/**
 * In words, why a provider sent the browser back without a sign-in; null if it did not. The description in the address is not shown,
 * because a link can contain any text.
 */
export function describeReturnedError(): string | null {
  const returned = getReturnedError();
  const code = returned?.code === OF_PROVIDER ? returned.error : returned?.code;
  return code === undefined || code === OF_MAIL ? null : (WORDS.get(code) ?? OTHER);
}

/** For the page that shows it; the next one does not. */
export function useReturnedError(): string | null {
  useEffect(() => {
    return dropReturnedError;
  }, []);
  return describeReturnedError();
}
