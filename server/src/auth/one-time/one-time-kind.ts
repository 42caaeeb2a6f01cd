import * as z from "zod";
import type { OneTimeKind } from "../sql/one-time-tokens.ts";

/** A reauthentication has a code and no link. */
export type LinkKind = Exclude<OneTimeKind, "reauthentication">;

/** The type of each kind of link at `/verify`. */
const LINK_TYPES = {
  confirmation: "signup",
  recovery: "recovery",
  magiclink: "magiclink",
  invite: "invite",
  email_change_current: "email_change",
  email_change_new: "email_change",
} as const satisfies Readonly<Record<LinkKind, string>>;

/** "email" is any code that signs in. The service sends no codes to phone numbers, so their types have no kind. */
export type VerifyType = (typeof LINK_TYPES)[LinkKind] | "email" | "sms" | "phone_change";

export function linkTypeOf(kind: LinkKind): VerifyType {
  return LINK_TYPES[kind];
}

export function isLinkKind(kind: string): kind is LinkKind {
  return Object.hasOwn(LINK_TYPES, kind);
}

export function kindsOf(type: VerifyType): readonly LinkKind[] {
  if (type === "email") return ["confirmation", "magiclink", "invite"];
  return (Object.keys(LINK_TYPES) as LinkKind[]).filter((kind) => LINK_TYPES[kind] === type);
}

/** The authentication method (`amr`) of the session. */
export function methodOf(type: VerifyType): string {
  if (type === "signup") return "email/signup";
  return type === "email" ? "otp" : type;
}

/** Far longer than any code or link token. */
export const TOKEN_LENGTH = 200;

/** The first of two addresses has confirmed an e-mail change. */
export const HALF_MESSAGE = "Confirmation link accepted. Please proceed to confirm link sent to the other email";

const VERIFY_NAMES = [
  "signup",
  "invite",
  "magiclink",
  "recovery",
  "email",
  "email_change",
  "sms",
  "phone_change",
] as const;
/** The names of the two confirmations in the admin API. */
const ADMIN_NAMES = ["email_change_current", "email_change_new"] as const;

export const VERIFY_TYPE = z
  .enum([...VERIFY_NAMES, ...ADMIN_NAMES], { error: "Verify requires a known verification type" })
  .transform(
    (name): VerifyType => (name === "email_change_current" || name === "email_change_new" ? "email_change" : name),
  );
