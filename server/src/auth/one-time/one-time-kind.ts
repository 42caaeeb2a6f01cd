import * as z from "zod";

const ONE_TIME_KINDS = [
  "confirmation",
  "recovery",
  "magiclink",
  "invite",
  "email_change_current",
  "email_change_new",
  "reauthentication",
] as const;

/** The purpose of a one-time token. */
export type OneTimeKind = (typeof ONE_TIME_KINDS)[number];

/** Kinds that have a link; a reauthentication has a code only. */
export type LinkKind = Exclude<OneTimeKind, "reauthentication">;

/** The type at `/verify`. */
export type VerifyType = "signup" | "invite" | "magiclink" | "recovery" | "email" | "email_change";

export function linkTypeOf(kind: LinkKind): VerifyType {
  switch (kind) {
    case "confirmation":
      return "signup";
    case "email_change_current":
    case "email_change_new":
      return "email_change";
    case "invite":
    case "magiclink":
    case "recovery":
      return kind;
  }
}

/** "email" is any code that signs in. */
export function kindsOf(type: VerifyType): readonly LinkKind[] {
  switch (type) {
    case "signup":
      return ["confirmation"];
    case "email":
      return ["confirmation", "magiclink", "invite"];
    case "email_change":
      return ["email_change_current", "email_change_new"];
    case "invite":
    case "magiclink":
    case "recovery":
      return [type];
  }
}

/** The authentication method (`amr`) of the session. */
export function authenticationMethodOf(kind: OneTimeKind): string {
  switch (kind) {
    case "confirmation":
      return "email/signup";
    case "email_change_current":
    case "email_change_new":
      return "email_change";
    case "reauthentication":
      return "otp";
    case "invite":
    case "magiclink":
    case "recovery":
      return kind;
  }
}

/** Far longer than any code or link token. */
export const TOKEN_LENGTH = 200;

/** The first of two addresses has confirmed an e-mail change. */
export const HALF_MESSAGE = "Confirmation link accepted. Please proceed to confirm link sent to the other email";

const TYPES = {
  signup: "signup",
  invite: "invite",
  magiclink: "magiclink",
  recovery: "recovery",
  email: "email",
  email_change: "email_change",
  // The names of the two confirmations in the admin API.
  email_change_current: "email_change",
  email_change_new: "email_change",
} as const satisfies Record<string, VerifyType>;

export const VERIFY_TYPE = z
  .enum(Object.keys(TYPES) as (keyof typeof TYPES)[], { error: "Verify requires a known verification type" })
  .transform((name): VerifyType => TYPES[name]);

/** The authentication method (`amr`) of the session. */
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
