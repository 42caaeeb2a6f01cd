import { randomUUID } from "node:crypto";
import * as z from "zod";
import { inTransaction, type Queryable } from "../../db/index.ts";
import type { AuthContext } from "../auth-context.ts";
import { authError } from "../auth-error.ts";
import type { AuthResponse, AuthCall } from "../call.ts";
import { parseAuthBody } from "../parse-call.ts";
import { requireClientProof } from "../sessions/recent-proof.ts";
import { deleteAbandonedFactors, insertFactor, selectFactors } from "../sql/mfa-factors.ts";
import type { FactorRow } from "../sql/user-row.ts";
import { findRelyingParty } from "../webauthn/relying-party.ts";
import { type LockedPrincipal, lockPrincipal } from "./lock-principal.ts";
import { wrapFactorSecret, makeTotpSecret, renderTotp } from "./totp.ts";

const ENROLMENT_MS = 5 * 60 * 1000;
const CONTROL_CHARACTER = /\p{Cc}/u;

const text = (maxLength: number) =>
  z
    .string()
    .max(maxLength)
    .refine((value) => !CONTROL_CHARACTER.test(value), "must not hold control characters")
    .transform((value) => value.trim())
    .default("");

export const FRIENDLY_NAME = text(200);

export const ENROL_BODY = z.object({
  factor_type: z.string().default(""),
  friendly_name: FRIENDLY_NAME,
  // Shown by the authenticator. The length is limited by what a QR code can hold.
  issuer: text(64),
});

/** Starts an enrolment. The factor is unverified until a code or response of it is verified. */
export async function enrolFactor(context: AuthContext, call: AuthCall): Promise<AuthResponse> {
  const body = parseAuthBody(ENROL_BODY, call);
  const type = parseType(context, body.factor_type);
  const id = randomUUID();
  const secret = type === "totp" ? makeTotpSecret() : null;
  const account = await inTransaction(context.pool, async (client) => {
    const locked = await lockPrincipal(client, call);
    requireClientProof(context, locked, "Enrolling a factor");
    await checkFactors(context, client, locked, body.friendly_name);
    const now = context.clock.now();
    await insertFactor(client, {
      id,
      user_id: locked.user.id,
      friendly_name: body.friendly_name || null,
      factor_type: type,
      secret_wrapped: secret === null ? null : wrapFactorSecret(context.masterKey, id, secret),
      created_at: now,
      updated_at: now,
    });
    return locked.user.email ?? locked.user.id;
  });
  const factor = { id, type, friendly_name: body.friendly_name };
  if (secret === null) return { status: 200, body: factor };
  const issuer = body.issuer || new URL(context.settings.siteUrl ?? context.baseUrl).host;
  return { status: 200, body: { ...factor, totp: renderTotp(secret, { issuer, account }) } };
}

function parseType(context: AuthContext, type: string): "totp" | "webauthn" {
  switch (type) {
    case "totp":
      return type;
    case "phone":
      throw authError("mfa_phone_enroll_not_enabled");
    case "webauthn":
      if (findRelyingParty(context) === null) throw authError("mfa_webauthn_enroll_not_enabled");
      return type;
    default:
      throw authError("validation_failed", "factor_type needs to be totp, phone, or webauthn");
  }
}

export function requireFreeName(factors: readonly FactorRow[], name: string): void {
  if (name === "" || factors.every((factor) => factor.friendly_name !== name)) return;
  throw authError("mfa_factor_name_conflict", `A factor with the friendly name "${name}" for this user already exists`);
}

async function checkFactors(
  context: AuthContext,
  client: Queryable,
  { user }: LockedPrincipal,
  name: string,
): Promise<void> {
  await deleteAbandonedFactors(client, user.id, new Date(context.clock.now().getTime() - ENROLMENT_MS));
  const factors = await selectFactors(client, [user.id]);
  requireFreeName(factors, name);
  const authenticators = factors.filter((factor) => factor.factor_type !== "recovery_code");
  if (authenticators.length >= context.settings.authMfaFactorsPerUser) throw authError("too_many_enrolled_mfa_factors");
}
