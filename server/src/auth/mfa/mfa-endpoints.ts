import * as z from "zod";
import type { Queryable } from "../../db/index.ts";
import type { AuthContext } from "../auth-context.ts";
import { authError } from "../auth-error.ts";
import type { AuthCall, AuthEndpoint, AuthResponse } from "../call.ts";
import { getPathId, parseAuthBody, UUID_TEXT } from "../parse-call.ts";
import { requireClientProof } from "../sessions/recent-proof.ts";
import {
  type ChallengeRow,
  countFailedAttempt,
  countFailures,
  findChallenge,
  isChallengedAddress,
  markChallengeVerified,
} from "../sql/mfa-challenges.ts";
import { deleteUnverifiedFactors, markFactorVerified } from "../sql/mfa-factors.ts";
import type { FactorRow } from "../sql/user-row.ts";
import { recordChange } from "../users/record-change.ts";
import {
  challengeFactor,
  FAILURE_MEMORY_MS,
  lockAuthenticator,
  MAX_CHALLENGE_FAILURES,
  MAX_FACTOR_FAILURES,
} from "./challenge-factor.ts";
import { ENROL_BODY, enrolFactor } from "./enrol-factor.ts";
import { checkKey, type FactorProof, KEY_RESPONSE } from "./key-factor.ts";
import { lockPrincipal } from "./lock-principal.ts";
import { attemptFactor, raiseSession } from "./raise-session.ts";
import {
  describeRecoveryCodes,
  GENERATE_BODY,
  generateRecoveryCodes,
  RECOVERY_VERIFY_BODY,
  regenerateRecoveryCodes,
  removeRecoveryCodes,
  verifyRecoveryCode,
} from "./recovery-codes.ts";
import { findTotpStep, openFactorSecret } from "./totp.ts";
import { unenrolFactor } from "./unenrol-factor.ts";

const INVALID_RESPONSE = "The response of the authenticator is not valid";

const VERIFY_FACTOR_BODY = z.object({
  challenge_id: UUID_TEXT,
  code: z.string().max(100).default(""),
  webauthn: KEY_RESPONSE.optional(),
});

const RECOVERY_CODES = "/factors/recovery-codes";

const USER = { access: "user", limit: "api" } as const;
/** Before the second factor is verified, this must be possible. */
const EARLY = { method: "POST", access: "user", isAal1Accepted: true } as const;

export const mfaEndpoints: readonly AuthEndpoint[] = [
  { ...USER, method: "POST", path: "/factors", body: ENROL_BODY, run: enrolFactor },
  { ...EARLY, path: "/factors/:id/challenge", limit: "api", run: challengeFactor },
  { ...EARLY, path: "/factors/:id/verify", limit: "auth", body: VERIFY_FACTOR_BODY, run: verifyFactor },
  { ...USER, method: "DELETE", path: "/factors/:id", run: unenrolFactor },
  { ...USER, method: "GET", path: RECOVERY_CODES, run: describeRecoveryCodes },
  { ...USER, method: "POST", path: RECOVERY_CODES, body: GENERATE_BODY, run: generateRecoveryCodes },
  { ...USER, method: "DELETE", path: RECOVERY_CODES, run: removeRecoveryCodes },
  { ...USER, method: "POST", path: `${RECOVERY_CODES}/regenerate`, run: regenerateRecoveryCodes },
  { ...EARLY, path: `${RECOVERY_CODES}/verify`, limit: "auth", body: RECOVERY_VERIFY_BODY, run: verifyRecoveryCode },
];

/** A valid code or response raises the session to aal2. A wrong one is counted, so it must not roll the transaction back. */
async function verifyFactor(context: AuthContext, call: AuthCall): Promise<AuthResponse> {
  const factorId = getPathId(call.params, "id", "factor_id");
  const body = parseAuthBody(VERIFY_FACTOR_BODY, call);
  const { address } = call;
  const raised = await attemptFactor(context, call, async (client) => {
    const locked = await lockPrincipal(client, call);
    const { user, session } = locked;
    const factor = await lockAuthenticator(client, locked, factorId);
    if (factor.status === "unverified") requireClientProof(context, locked, "Enrolling a factor");
    const challenge = await getOpenChallenge(context, client, factor, { id: body.challenge_id, address });
    const proof =
      factor.factor_type === "webauthn"
        ? await checkKey(context, client, {
            factor,
            challenge,
            response: body.webauthn,
            sessionId: session.id,
            address,
          })
        : checkCode(context, factor, body.code);
    if (proof === null) {
      await countFailedAttempt(client, challenge.id);
      return { factor, session: null };
    }
    const now = context.clock.now();
    await markChallengeVerified(client, challenge.id, now);
    await markFactorVerified(client, factor.id, proof.usedStep, now);
    await deleteUnverifiedFactors(client, user.id);
    if (factor.status === "unverified")
      await recordChange(context, client, { action: "factor_added", user, sessionId: session.id, address });
    const passed = { ...factor, method: proof.method, address };
    return { factor, session: await raiseSession(context, client, locked, passed) };
  });
  if (raised === null) throw authError("mfa_verification_failed", body.webauthn && INVALID_RESPONSE);
  return { status: 200, body: raised };
}

async function getOpenChallenge(
  context: AuthContext,
  client: Queryable,
  factor: FactorRow,
  wanted: { readonly id: string; readonly address: string },
): Promise<ChallengeRow> {
  const challenge = await findChallenge(client, factor.id, wanted.id);
  if (challenge === null) {
    throw authError("mfa_factor_not_found", "MFA factor with the provided challenge ID not found");
  }
  if (challenge.expires_at <= context.clock.now()) throw authError("mfa_challenge_expired");
  if (challenge.verified_at !== null) {
    throw authError("mfa_challenge_expired", "MFA challenge has been used, create a new challenge.");
  }
  if (!(await isChallengedAddress(client, challenge.id, wanted.address))) throw authError("mfa_ip_address_mismatch");
  if (challenge.failed_attempts >= MAX_CHALLENGE_FAILURES) {
    throw authError("mfa_challenge_expired", "Too many wrong codes for this MFA challenge, create a new challenge.");
  }
  if ((await countFailures(client, factor.id)) >= MAX_FACTOR_FAILURES) {
    throw authError("over_request_rate_limit", "Too many wrong codes, try again later", {
      retryAfterSeconds: FAILURE_MEMORY_MS / 1000,
    });
  }
  return challenge;
}

/** Each time step is valid once, so that a code that was observed or sent twice is useless. */
function checkCode(context: AuthContext, factor: FactorRow, given: string): FactorProof | null {
  const code = given.replace(/\s/g, "");
  if (code === "") throw authError("validation_failed", "Code needs to be non-empty");
  const step = findTotpStep(openFactorSecret(context.masterKey, factor), code, context.clock.now());
  if (step === null || (factor.last_used_step !== null && step <= Number(factor.last_used_step))) return null;
  return { method: "totp", usedStep: step };
}
