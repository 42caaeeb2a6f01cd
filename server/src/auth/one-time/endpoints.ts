import type { AuthEndpoint } from "../call.ts";
import { requestOtp } from "./request-otp.ts";
import { requestReauthentication } from "./request-reauthentication.ts";
import { requestRecovery } from "./request-recovery.ts";
import { requestResend } from "./request-resend.ts";
import { verifyLink } from "./verify-link.ts";
import { verifyToken } from "./verify-token.ts";

export const oneTimeEndpoints: readonly AuthEndpoint[] = [
  { method: "POST", path: "/otp", access: "apikey", limit: "auth", run: requestOtp },
  { method: "POST", path: "/magiclink", access: "apikey", limit: "auth", run: requestOtp },
  { method: "POST", path: "/recover", access: "apikey", limit: "auth", run: requestRecovery },
  { method: "POST", path: "/resend", access: "apikey", limit: "auth", run: requestResend },
  { method: "GET", path: "/reauthenticate", access: "user", limit: "api", run: requestReauthentication },
  { method: "POST", path: "/verify", access: "apikey", limit: "auth", run: verifyToken },
  { method: "GET", path: "/verify", access: "public", limit: "auth", run: verifyLink },
];
