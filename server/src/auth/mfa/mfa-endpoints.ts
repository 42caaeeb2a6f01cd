import type { AuthEndpoint } from "../call.ts";
import { challengeFactor } from "./challenge-factor.ts";
import { ENROL_BODY, enrolFactor } from "./enrol-factor.ts";
import {
  describeRecoveryCodes,
  GENERATE_BODY,
  generateRecoveryCodes,
  RECOVERY_VERIFY_BODY,
  regenerateRecoveryCodes,
  removeRecoveryCodes,
  verifyRecoveryCode,
} from "./recovery-codes.ts";
import { unenrolFactor } from "./unenrol-factor.ts";
import { VERIFY_FACTOR_BODY, verifyFactor } from "./verify-factor.ts";

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
