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

export const mfaEndpoints: readonly AuthEndpoint[] = [
  { method: "POST", path: "/factors", access: "user", limit: "api", body: ENROL_BODY, run: enrolFactor },
  {
    method: "POST",
    path: "/factors/:id/challenge",
    access: "user",
    isAal1Accepted: true,
    limit: "api",
    run: challengeFactor,
  },
  {
    method: "POST",
    path: "/factors/:id/verify",
    access: "user",
    isAal1Accepted: true,
    limit: "auth",
    body: VERIFY_FACTOR_BODY,
    run: verifyFactor,
  },
  { method: "DELETE", path: "/factors/:id", access: "user", limit: "api", run: unenrolFactor },
  { method: "GET", path: RECOVERY_CODES, access: "user", limit: "api", run: describeRecoveryCodes },
  {
    method: "POST",
    path: RECOVERY_CODES,
    access: "user",
    limit: "api",
    body: GENERATE_BODY,
    run: generateRecoveryCodes,
  },
  { method: "DELETE", path: RECOVERY_CODES, access: "user", limit: "api", run: removeRecoveryCodes },
  {
    method: "POST",
    path: `${RECOVERY_CODES}/regenerate`,
    access: "user",
    limit: "api",
    run: regenerateRecoveryCodes,
  },
  {
    method: "POST",
    path: `${RECOVERY_CODES}/verify`,
    access: "user",
    isAal1Accepted: true,
    limit: "auth",
    body: RECOVERY_VERIFY_BODY,
    run: verifyRecoveryCode,
  },
];
