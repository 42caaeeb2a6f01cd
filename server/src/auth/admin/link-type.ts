import { authError } from "../auth-error.ts";
import type { LinkKind } from "../one-time/one-time-kind.ts";

const LINK_KINDS = {
  signup: "confirmation",
  invite: "invite",
  magiclink: "magiclink",
  recovery: "recovery",
  email_change_current: "email_change_current",
  email_change_new: "email_change_new",
} as const satisfies Record<string, LinkKind>;

/** What an administrator may ask a link for. */
export type LinkType = keyof typeof LINK_KINDS;

export function parseLinkType(text: string): LinkType {
  if (!isLinkType(text)) {
    throw authError("validation_failed", `type must be one of ${Object.keys(LINK_KINDS).join(", ")}`);
  }
  return text;
}

function isLinkType(text: string): text is LinkType {
  return Object.hasOwn(LINK_KINDS, text);
}

export function linkKindOf(type: LinkType): LinkKind {
  return LINK_KINDS[type];
}
