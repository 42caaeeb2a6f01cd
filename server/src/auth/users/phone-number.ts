import { authError } from "../auth-error.ts";

const E164 = /^\+?[1-9][0-9]{1,14}$/;

/** Accepts a leading plus sign and spaces, as GoTrue does. */
export function checkPhoneNumber(text: string): void {
  if (!E164.test(text.replaceAll(" ", ""))) {
    throw authError("validation_failed", "Invalid phone number format (E.164 required)");
  }
}

/** For changes of an account, in which GoTrue checks the number first. No account has a phone number here. */
export function rejectPhoneNumber(text: string): never {
  checkPhoneNumber(text);
  throw authError("phone_provider_disabled");
}
