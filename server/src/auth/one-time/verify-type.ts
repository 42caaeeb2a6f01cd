import * as z from "zod";
import type { VerifyType } from "./one-time-kind.ts";

/** Far more than any code or link has. */
export const TOKEN_LENGTH = 200;

/** One of the two addresses that an e-mail change concerns has agreed. */
export const HALF_MESSAGE = "Confirmation link accepted. Please proceed to confirm link sent to the other email";

const TYPES = {
  signup: "signup",
  invite: "invite",
  magiclink: "magiclink",
  recovery: "recovery",
  email: "email",
  email_change: "email_change",
  // What the admin API calls the two halves when it makes links.
  email_change_current: "email_change",
  email_change_new: "email_change",
} as const satisfies Record<string, VerifyType>;

export const VERIFY_TYPE = z
  .enum(Object.keys(TYPES) as (keyof typeof TYPES)[], { error: "Verify requires a known verification type" })
  .transform((name): VerifyType => TYPES[name]);

/** How the session says that its user has proved who they are. */
export function methodOf(type: VerifyType): string {
  switch (type) {
    case "signup":
      return "email/signup";
    case "email":
      return "otp";
    case "email_change":
    case "invite":
    case "magiclink":
    case "recovery":
      return type;
  }
}
