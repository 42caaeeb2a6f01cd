export const ONE_TIME_KINDS = [
  "confirmation",
  "recovery",
  "magiclink",
  "invite",
  "email_change_current",
  "email_change_new",
  "reauthentication",
] as const;

/** What a one-time token is for. */
export type OneTimeKind = (typeof ONE_TIME_KINDS)[number];

/** Kinds that come with a link; a reauthentication is a code alone. */
export type LinkKind = Exclude<OneTimeKind, "reauthentication">;

/** What clients call it at `/verify`. */
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

/** "email" is any code that a mail has brought to sign in with. */
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

/** How the session says that its user has proved who they are. */
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
