import { createHmac, randomBytes, randomInt, randomUUID } from "node:crypto";
import * as z from "zod";
import { inTransaction, type Queryable } from "../../db/index.ts";
import { recordChange } from "../users/record-change.ts";
import type { AuthContext } from "../auth-context.ts";
import { authError } from "../auth-error.ts";
import type { AuthCall, AuthResponse } from "../call.ts";
import { parseAuthBody } from "../parse-call.ts";
import { requireClientProof } from "../sessions/recent-proof.ts";
import { insertAuditEntry } from "../sql/audit-log.ts";
import { countFailedAttempt, countFailures, deleteChallenges, insertChallenge } from "../sql/mfa-challenges.ts";
import { hasVerifiedFactor, insertFactor, selectFactors } from "../sql/mfa-factors.ts";
import {
  findRecoveryStatus,
  lockRecoveryFactor,
  replaceRecoveryCodes,
  useRecoveryCode,
} from "../sql/mfa-recovery-codes.ts";
import type { FactorRow } from "../sql/user-row.ts";
import { FAILURE_MEMORY_MS, MAX_FACTOR_FAILURES } from "./challenge-factor.ts";
import { FRIENDLY_NAME, requireFreeName } from "./enrol-factor.ts";
import { attemptFactor, raiseSession } from "./raise-session.ts";
import { type LockedPrincipal, lockPrincipal } from "./lock-principal.ts";
import { openFactorSecret, wrapFactorSecret } from "./totp.ts";
import { removeFactor } from "./unenrol-factor.ts";

const CODE_COUNT = 10;
/** 79 bits, so that the hashes need no salt and no work factor. */
const CODE_LENGTH = 16;
/** Without letters and digits that look alike. */
const ALPHABET = "23456789abcdefghjkmnpqrstuvwxyz";
const KEY_BYTES = 32;
const TYPE = "recovery_code";
const DEFAULT_NAME = "Recovery codes";

export const GENERATE_BODY = z.object({ friendly_name: FRIENDLY_NAME });
export const RECOVERY_VERIFY_BODY = z.object({ code: z.string().max(100).default("") });

/** GET /factors/recovery-codes: how many codes are left. */
export async function describeRecoveryCodes(context: AuthContext, { principal }: AuthCall): Promise<AuthResponse> {
  if (principal.role !== "authenticated") throw authError("no_authorization");
  const status = await findRecoveryStatus(context.pool, principal.userId);
  if (status === null) throw authError("mfa_factor_not_found");
  const { id, total, remaining } = status;
  return { status: 200, body: { id, type: TYPE, total, remaining } };
}

/** POST /factors/recovery-codes: the first set of codes, which is shown this once. */
export async function generateRecoveryCodes(context: AuthContext, call: AuthCall): Promise<AuthResponse> {
  const friendlyName = parseAuthBody(GENERATE_BODY, call).friendly_name || DEFAULT_NAME;
  return inTransaction(context.pool, async (client) => {
    const locked = await lockPrincipal(client, call);
    const userId = locked.user.id;
    if (!(await hasVerifiedFactor(client, userId))) throw authError("mfa_recovery_codes_sole_factor");
    requireClientProof(context, locked, "Creating recovery codes");
    if ((await lockRecoveryFactor(client, userId)) !== null) throw authError("mfa_verified_factor_exists");
    requireFreeName(await selectFactors(client, [userId]), friendlyName);
    const id = randomUUID();
    const now = context.clock.now();
    const factor = await insertFactor(client, {
      id,
      user_id: userId,
      friendly_name: friendlyName,
      factor_type: TYPE,
      status: "verified",
      secret_wrapped: wrapFactorSecret(context.masterKey, id, randomBytes(KEY_BYTES)),
      created_at: now,
      updated_at: now,
    });
    return issueCodes(context, client, { call, locked, factor });
  });
}

/** POST /factors/recovery-codes/regenerate: replaces all codes. */
export async function regenerateRecoveryCodes(context: AuthContext, call: AuthCall): Promise<AuthResponse> {
  return inTransaction(context.pool, async (client) => {
    const { locked, factor } = await lockRecovery(client, call);
    requireClientProof(context, locked, "Replacing recovery codes");
    await deleteChallenges(client, factor.id, new Date(context.clock.now().getTime() + 1));
    return issueCodes(context, client, { call, locked, factor });
  });
}

/** DELETE /factors/recovery-codes */
export async function removeRecoveryCodes(context: AuthContext, call: AuthCall): Promise<AuthResponse> {
  return inTransaction(context.pool, async (client) => {
    const { locked, factor } = await lockRecovery(client, call);
    requireClientProof(context, locked, "Removing recovery codes");
    await removeFactor(client, factor);
    await recordChange(context, client, { action: "recovery_codes_removed", ...describe({ call, locked }) });
    return { status: 200, body: { id: factor.id } };
  });
}

/** POST /factors/recovery-codes/verify: one unused code raises the session to aal2. */
export async function verifyRecoveryCode(context: AuthContext, call: AuthCall): Promise<AuthResponse> {
  const code = parseAuthBody(RECOVERY_VERIFY_BODY, call).code.replace(/[\s-]/g, "").toLowerCase();
  // A wrong code is counted, so it must not roll the transaction back.
  const session = await attemptFactor(context, call, async (client) => {
    const { locked, factor } = await lockRecovery(client, call);
    const now = context.clock.now();
    await deleteChallenges(client, factor.id, new Date(now.getTime() - FAILURE_MEMORY_MS));
    if ((await countFailures(client, factor.id)) >= MAX_FACTOR_FAILURES) {
      throw authError("mfa_recovery_codes_locked", undefined, { retryAfterSeconds: FAILURE_MEMORY_MS / 1000 });
    }
    const hash = hashCode(context, factor, code);
    if (!(await useRecoveryCode(client, factor.id, hash, now))) {
      const attempt = {
        factor_id: factor.id,
        ip: call.address,
        challenge_hash: null,
        expires_at: now,
        created_at: now,
      };
      await countFailedAttempt(client, (await insertChallenge(client, attempt)).id);
      await audit(client, "recovery_code_rejected", { call, locked });
      return { factor, session: null };
    }
    await audit(client, "recovery_code_used", { call, locked });
    const passed = { ...factor, method: "mfa/recovery_code", address: call.address } as const;
    return { factor, session: await raiseSession(context, client, locked, passed) };
  });
  if (session === null) throw authError("mfa_verification_failed", "Invalid recovery code entered");
  return { status: 200, body: session };
}

interface Recovery {
  readonly locked: LockedPrincipal;
  readonly factor: FactorRow;
}

async function lockRecovery(client: Queryable, call: AuthCall): Promise<Recovery> {
  const locked = await lockPrincipal(client, call);
  const factor = await lockRecoveryFactor(client, locked.user.id);
  if (factor === null) throw authError("mfa_factor_not_found");
  return { locked, factor };
}

async function issueCodes(
  context: AuthContext,
  client: Queryable,
  { call, locked, factor }: Recovery & { readonly call: AuthCall },
): Promise<AuthResponse> {
  const codes = Array.from({ length: CODE_COUNT }, newCode);
  const hashes = codes.map((code) => hashCode(context, factor, code));
  await replaceRecoveryCodes(client, factor.id, hashes, context.clock.now());
  await recordChange(context, client, { action: "recovery_codes_generated", ...describe({ call, locked }) });
  const { id, friendly_name } = factor;
  return { status: 200, body: { id, type: TYPE, friendly_name, total: codes.length, codes } };
}

function newCode(): string {
  return Array.from({ length: CODE_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join("");
}

/** Keyed with a secret of the factor that is not readable in the database. */
function hashCode({ masterKey }: Pick<AuthContext, "masterKey">, factor: FactorRow, code: string): Buffer {
  return createHmac("sha256", openFactorSecret(masterKey, factor)).update(code).digest();
}

interface Caller {
  readonly call: AuthCall;
  readonly locked: LockedPrincipal;
}

function describe({ call: { address }, locked: { user, session } }: Caller) {
  return { user, sessionId: session.id, address };
}

function audit(
  client: Queryable,
  action: Parameters<typeof insertAuditEntry>[1]["action"],
  caller: Caller,
): Promise<void> {
  const { user, ...rest } = describe(caller);
  return insertAuditEntry(client, { action, userId: user.id, ...rest });
}
