import * as z from "zod";
import { parseEmail } from "../accounts/email-address.ts";
import { authError } from "../auth-error.ts";
import { isUuid } from "../mfa/path-id.ts";
import { checkNewPassword } from "../passwords/rules.ts";
import { parseImportedHash } from "../passwords/stored-hash.ts";
import type { AuthContext } from "../auth-context.ts";
import { parseBanDuration } from "./ban-duration.ts";
import { parseUserRole } from "./user-role.ts";

const NIL_UUID = "00000000-0000-0000-0000-000000000000";
const METADATA = z.record(z.string(), z.unknown());

/** What an administrator sends to make or change an account. An empty text says nothing, as it does at GoTrue. */
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

/** The parts of the body that are texts with a meaning; undefined where nothing was said. */
export interface AccountWishes {
  readonly email: string | undefined;
  readonly role: string | undefined;
  /** Null lifts a ban. */
  readonly bannedUntil: Date | null | undefined;
}

export function parseWishes(context: AuthContext, body: AccountBody): AccountWishes {
  if (body.phone) throw authError("phone_provider_disabled");
  return {
    email: body.email ? parseEmail(body.email) : undefined,
    role: body.role ? parseUserRole(body.role) : undefined,
    bannedUntil: body.ban_duration ? parseBanDuration(body.ban_duration, context.clock.now()) : undefined,
  };
}

/** Takes its time, so it is asked before a transaction begins. Undefined when no password was sent. */
export async function hashWished(context: AuthContext, body: AccountBody): Promise<string | undefined> {
  if (body.password && body.password_hash) {
    throw authError("validation_failed", "Only a password or a password hash should be provided");
  }
  if (body.password_hash) return parseImportedHash(body.password_hash);
  if (body.password === undefined) return undefined;
  checkNewPassword(body.password, context.settings);
  return context.hasher.hash(body.password);
}
