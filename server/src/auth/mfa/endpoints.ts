import type { AuthEndpoint } from "../call.ts";
import { challengeFactor } from "./challenge-factor.ts";
import { ENROL_BODY, enrolFactor } from "./enrol-factor.ts";
import { unenrolFactor } from "./unenrol-factor.ts";
import { VERIFY_FACTOR_BODY, verifyFactor } from "./verify-factor.ts";

export const mfaEndpoints: readonly AuthEndpoint[] = [
  { method: "POST", path: "/factors", access: "user", limit: "api", body: ENROL_BODY, run: enrolFactor },
  { method: "POST", path: "/factors/:id/challenge", access: "user", limit: "api", run: challengeFactor },
  {
    method: "POST",
    path: "/factors/:id/verify",
    access: "user",
    limit: "auth",
    body: VERIFY_FACTOR_BODY,
    run: verifyFactor,
  },
  { method: "DELETE", path: "/factors/:id", access: "user", limit: "api", run: unenrolFactor },
];
