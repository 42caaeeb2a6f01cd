import type { AuthEndpoint } from "../call.ts";
import { requestReauthentication, RECOVERY_BODY, requestRecovery, RESEND_BODY, requestResend } from "./request-mail.ts";
import { OTP_BODY, requestOtp } from "./request-otp.ts";
import { verifyLink } from "./verify-link.ts";
import { VERIFY_BODY, verifyOneTimeToken } from "./verify-one-time-token.ts";

export const oneTimeEndpoints: readonly AuthEndpoint[] = [
  { method: "POST", path: "/otp", access: "apikey", limit: "auth", body: OTP_BODY, run: requestOtp },
  { method: "POST", path: "/magiclink", access: "apikey", limit: "auth", body: OTP_BODY, run: requestOtp },
  { method: "POST", path: "/recover", access: "apikey", limit: "auth", body: RECOVERY_BODY, run: requestRecovery },
  { method: "POST", path: "/resend", access: "apikey", limit: "auth", body: RESEND_BODY, run: requestResend },
  { method: "GET", path: "/reauthenticate", access: "user", limit: "api", run: requestReauthentication },
  { method: "POST", path: "/verify", access: "apikey", limit: "auth", body: VERIFY_BODY, run: verifyOneTimeToken },
  { method: "GET", path: "/verify", access: "public", limit: "auth", run: verifyLink },
];
