import { isUuid } from "@swarmbase/sdk";
import * as z from "zod";
import { parseEmail } from "../users/email-address.ts";
import { rejectPhoneNumber } from "../users/phone-number.ts";
import type { AuthContext } from "../auth-context.ts";
import { authError } from "../auth-error.ts";
import { checkNewPassword } from "../passwords/rules.ts";
import { parseImportedHash } from "../passwords/stored-hash.ts";

const NIL_UUID = "00000000-0000-0000-0000-000000000000";
const METADATA = z.record(z.string(), z.unknown());

/** The body by which administrators create or change an account. An empty string counts as absent, as in GoTrue. */
export const ACCOUNT_BODY = z.object({
  id: z
    .string()
    .refine((value) => value === "" || (isUuid(value) && value !== NIL_UUID), "must be an UUID, and not the nil one")
    .optional(),
  email: z.string().optional(),
  phone: z.string().optional(),
  password: z.string().optional(),
  password_hash: z.string().max(1000).optional(),
  email_confirm: z.boolean().optional(),
  user_metadata: METADATA.optional(),
  app_metadata: METADATA.optional(),
  role: z.string().optional(),
  ban_duration: z.string().optional(),
});

export type AccountBody = z.output<typeof ACCOUNT_BODY>;

/** The parsed parts of the body; undefined when absent. */
export interface AccountInput {
  readonly email: string | undefined;
  readonly role: string | undefined;
  /** Null lifts a ban. */
  readonly bannedUntil: Date | null | undefined;
}

export function parseAccountInput(context: AuthContext, body: AccountBody): AccountInput {
  if (body.phone) rejectPhoneNumber(body.phone);
  return {
    email: body.email ? parseEmail(body.email) : undefined,
    role: body.role ? parseUserRole(body.role) : undefined,
    bannedUntil: body.ban_duration ? parseBanDuration(body.ban_duration, context.clock.now()) : undefined,
  };
}

/** Slow, so it runs before a transaction begins. Returns undefined when no password was sent. */
export async function hashGivenPassword(context: AuthContext, body: AccountBody): Promise<string | undefined> {
  if (body.password && body.password_hash) {
    throw authError("validation_failed", "Only a password or a password hash should be provided");
  }
  if (body.password_hash) return parseImportedHash(body.password_hash);
  if (body.password === undefined) return undefined;
  checkNewPassword(body.password, context.settings);
  return context.hasher.hash(body.password);
}

const UNIT_MS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};
const DURATION =
  /^\+?(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h)(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))*$/;
const PART = /(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h)/g;
const MAX_LENGTH = 100;
/** The longest duration that clients can express: 2^63 nanoseconds. */
const MAX_MS = 2 ** 63 / 1e6;

/** Parses "none" or a Go duration such as "24h" or "1h30m". Returns the end of the ban; null ends a ban. */
export function parseBanDuration(text: string, now: Date): Date | null {
  if (text === "none" || text === "0") return null;
  if (text.length > MAX_LENGTH || !DURATION.test(text)) throw invalidDuration(text);
  let durationMs = 0;
  for (const [, amount = "", unit = ""] of text.matchAll(PART)) durationMs += Number(amount) * (UNIT_MS[unit] ?? 0);
  if (!(durationMs <= MAX_MS)) throw invalidDuration(text);
  return durationMs === 0 ? null : new Date(now.getTime() + durationMs);
}

function invalidDuration(text: string): Error {
  const shown = JSON.stringify(text.slice(0, MAX_LENGTH));
  return authError("validation_failed", `invalid format for ban duration: ${shown} is not like "24h" or "none"`);
}

const ROLE = /^[a-z][a-z0-9_]{0,62}$/;
/** A token with one of these roles would have other rights than a user's. */
const RESERVED = /^(?:anon|service_role|authenticator|postgres|public|none|(?:supabase|swarmbase|sb|pg|dashboard)_.*)$/;

export function parseUserRole(text: string): string {
  if (!ROLE.test(text)) throw authError("validation_failed", "role must be a name in lower case");
  if (RESERVED.test(text)) throw authError("validation_failed", `role ${text} cannot be given to a user`);
  return text;
}
