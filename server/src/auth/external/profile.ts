import { isRecord } from "../../json/index.ts";
import { findEmail } from "../users/email-address.ts";
import type { Metadata } from "../users/metadata.ts";
import type { SignInProvider } from "../../sign-in-providers/index.ts";

/** Who has signed in, as the provider says. */
export interface ExternalProfile {
  /** At the provider. It never changes, unlike the address. */
  readonly subject: string;
  /** That of the ID token. The subject is one of its. */
  readonly issuer: string;
  /** Normalized; null when there is none, or when the provider does not say that it is verified. */
  readonly verifiedEmail: string | null;
  /** The members of user metadata that describe the person. */
  readonly person: Metadata;
  /** The user metadata of a new account. */
  readonly claims: Metadata;
  /** `identity_data` of the identity. */
  readonly data: Metadata;
}

const MAX_SUBJECT = 255;
const MAX_TEXT = 2_048;
const TENANTS_OF_MANY = new Set(["common", "organizations", "consumers"]);

/**
 * `claims` are those of a verified ID token, or what the API of the provider says in the same form. Throws when they name nobody.
 * What else is missing or has another type is left out.
 */
export function readProfile(provider: SignInProvider, claims: Readonly<Record<string, unknown>>): ExternalProfile {
  const subject = textOf(claims["sub"]);
  // A text that differs, by a space at its end for example, is that of somebody else.
  if (subject === null || subject !== claims["sub"] || subject.length > MAX_SUBJECT)
    throw new Error("the provider names no subject");
  const issuer = textOf(claims["iss"]) ?? provider.issuer;
  const email = findEmail(textOf(claims["email"]) ?? "");
  const verifiedEmail = isEmailVerified(provider, claims) ? email : null;
  const name = textOf(claims["name"]);
  const userName = textOf(claims["preferred_username"]);
  const picture = textOf(claims["picture"]);
  const person = withoutNull({
    name,
    full_name: name,
    user_name: userName,
    preferred_username: userName,
    picture,
    avatar_url: picture,
  });
  const own = {
    ...person,
    ...(verifiedEmail !== null && { email: verifiedEmail }),
    email_verified: verifiedEmail !== null,
    phone_verified: false,
    iss: issuer,
    sub: subject,
    provider_id: subject,
  };
  // For policies of the app: the organization of the person.
  const custom_claims = withoutNull({ hd: textOf(claims["hd"]), tid: textOf(claims["tid"]) });
  const data = { ...own, ...withoutNull({ email }), custom_claims };
  return { subject, issuer, verifiedEmail, person, claims: own, data };
}

function withoutNull(members: Metadata): Metadata {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null));
}

/** Apple sends a text. Microsoft lets the administrators of any tenant write any address. */
function isEmailVerified({ preset, issuer }: SignInProvider, claims: Readonly<Record<string, unknown>>): boolean {
  if (preset.verification === "claim") return isTrue(claims["email_verified"]);
  const [, tenant = ""] = new URL(issuer).pathname.split("/");
  return !TENANTS_OF_MANY.has(tenant.toLowerCase()) || isTrue(claims["xms_edov"]);
}

function isTrue(value: unknown): boolean {
  return value === true || value === 1 || value === "true" || value === "1";
}

/** Apple sends the name once, beside the first answer and unsigned. */
export function readAppleName(user: string | undefined): string | null {
  try {
    const parsed: unknown = JSON.parse((user ?? "").slice(0, MAX_TEXT));
    const name = isRecord(parsed) && isRecord(parsed["name"]) ? parsed["name"] : {};
    return textOf([name["firstName"], name["lastName"]].filter((part) => typeof part === "string").join(" "));
  } catch {
    return null;
  }
}

function textOf(value: unknown): string | null {
  if (typeof value !== "string") return null;
  const text = value.trim();
  return text === "" || text.length > MAX_TEXT || text.includes("\0") || !text.isWellFormed() ? null : text;
}
