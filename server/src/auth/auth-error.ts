import type { ErrorCode } from "@swarmbase/sdk";
import { AppError, type AppErrorExtra } from "../errors/index.ts";

/** GoTrue's error codes, which clients test for, and codes for the errors that GoTrue has no name for. */
export const AUTH_ERRORS = {
  anonymous_provider_disabled: { status: 422, message: "Anonymous sign-ins are disabled" },
  api_key_not_allowed: { status: 403, message: "An API key cannot make this call: sign in" },
  bad_code_verifier: { status: 400, message: "code challenge does not match previously saved code verifier" },
  bad_json: { status: 400, message: "Could not parse the request body as JSON" },
  bad_jwt: { status: 401, message: "invalid JWT: unable to parse or verify signature" },
  bad_oauth_callback: { status: 400, message: "The sign-in at the identity provider could not be completed" },
  bad_oauth_state: { status: 400, message: "The sign-in has expired, was completed, or began in another browser" },
  bad_request: { status: 400, message: "This is not a well-formed HTTP request" },
  conflict: { status: 409, message: "The row was changed meanwhile: try again" },
  current_password_required: { status: 400, message: "Current password is required to change it" },
  current_password_invalid: { status: 400, message: "Current password is wrong" },
  email_address_invalid: { status: 400, message: "Unable to validate email address: invalid format" },
  email_exists: { status: 422, message: "A user with this email address has already been registered" },
  email_not_confirmed: { status: 400, message: "Email not confirmed" },
  email_provider_disabled: { status: 422, message: "Email signups are disabled" },
  feature_disabled: { status: 404, message: "This feature is not available on this server" },
  flow_state_expired: { status: 400, message: "invalid flow state, flow state has expired" },
  flow_state_not_found: { status: 404, message: "invalid flow state, no valid flow state found" },
  forbidden: { status: 403, message: "The service does not permit this request" },
  hook_payload_invalid_content_type: { status: 400, message: "The answer of a hook is not JSON" },
  hook_payload_over_size_limit: { status: 422, message: "The answer of a hook is too large" },
  hook_refused: { status: 403, message: "A hook has refused the request" },
  hook_timeout: { status: 422, message: "A hook did not answer in time" },
  https_required: { status: 426, message: "Plain HTTP is not served here; use https://" },
  identity_already_exists: { status: 422, message: "Identity is already linked to a user" },
  identity_not_found: { status: 404, message: "Identity doesn't exist" },
  insufficient_aal: { status: 401, message: "AAL2 session is required for this operation" },
  invalid_credentials: { status: 400, message: "Invalid login credentials" },
  message_signature_expired: { status: 401, message: "The HTTP message signature has expired" },
  message_signature_invalid: { status: 401, message: "The HTTP message signature is not valid" },
  message_signature_replayed: { status: 401, message: "The HTTP message signature was used before" },
  message_signature_required: { status: 401, message: "The user requires HTTP message signatures" },
  method_not_allowed: { status: 405, message: "This path accepts other methods" },
  mfa_challenge_expired: {
    status: 422,
    message: "MFA challenge has expired, verify against another challenge or create a new challenge.",
  },
  mfa_factor_name_conflict: { status: 422, message: "A factor with this friendly name already exists" },
  mfa_factor_not_found: { status: 404, message: "Factor not found" },
  mfa_ip_address_mismatch: { status: 422, message: "Challenge and verify IP addresses mismatch" },
  mfa_phone_enroll_not_enabled: { status: 422, message: "MFA enroll is disabled for Phone" },
  mfa_recovery_codes_locked: { status: 429, message: "Too many wrong recovery codes, try again later" },
  mfa_recovery_codes_sole_factor: { status: 422, message: "Recovery codes require another verified factor" },
  mfa_verification_failed: { status: 422, message: "Invalid TOTP code entered" },
  mfa_verification_rejected: { status: 403, message: "Further MFA verification attempts will be rejected." },
  mfa_verified_factor_exists: { status: 422, message: "Recovery codes exist already, regenerate them" },
  mfa_webauthn_enroll_not_enabled: { status: 422, message: "MFA enroll is disabled for WebAuthn" },
  mfa_webauthn_verify_not_enabled: { status: 422, message: "MFA verification is disabled for WebAuthn" },
  no_authorization: { status: 401, message: "This endpoint requires a valid Bearer token" },
  not_admin: { status: 403, message: "User not allowed" },
  not_found: { status: 404, message: "No route matches this path" },
  oauth_authorization_not_found: { status: 404, message: "The request does not exist, has expired or was answered" },
  oauth_client_not_found: { status: 404, message: "OAuth client not found" },
  oauth_provider_not_supported: { status: 400, message: "Unsupported provider: provider is not enabled" },
  otp_disabled: { status: 422, message: "Signups not allowed for otp" },
  otp_expired: { status: 403, message: "Token has expired or is invalid" },
  over_email_send_rate_limit: {
    status: 429,
    message: "For security purposes, you can only request this once in a while",
  },
  over_request_rate_limit: { status: 429, message: "Request rate limit reached" },
  passkey_disabled: { status: 404, message: "Passkeys are disabled" },
  phone_provider_disabled: { status: 400, message: "Phone sign-ins are disabled" },
  reauthentication_needed: { status: 400, message: "Password update requires reauthentication" },
  reauthentication_not_valid: { status: 422, message: "Nonce has expired or is invalid" },
  refresh_token_already_used: { status: 400, message: "Invalid Refresh Token: Already Used" },
  refresh_token_not_found: { status: 400, message: "Invalid Refresh Token: Refresh Token Not Found" },
  request_entity_too_large: { status: 413, message: "The request body is too large" },
  request_timeout: { status: 408, message: "The request did not arrive in time" },
  same_password: { status: 422, message: "New password should be different from the old password." },
  saml_provider_disabled: { status: 404, message: "SAML 2.0 is disabled" },
  session_expired: { status: 400, message: "Invalid Refresh Token: Session Expired" },
  session_not_found: { status: 401, message: "Session from session_id claim in JWT does not exist" },
  signup_disabled: { status: 422, message: "Signups not allowed for this instance" },
  single_identity_not_deletable: { status: 422, message: "User must have at least 1 identity after unlinking" },
  too_many_enrolled_mfa_factors: {
    status: 422,
    message: "Maximum number of verified factors reached, unenroll to continue",
  },
  too_many_passkeys: { status: 422, message: "Maximum number of passkeys reached, remove one to continue" },
  unauthorized: { status: 401, message: "Invalid API key" },
  unexpected_audience: { status: 400, message: "Unacceptable audience in id_token" },
  unexpected_failure: { status: 500, message: "An internal error occurred" },
  unsupported_media_type: { status: 415, message: "The Content-Type of the body is not supported" },
  user_already_exists: { status: 422, message: "User already registered" },
  user_banned: { status: 403, message: "User is banned" },
  user_not_found: { status: 404, message: "User not found" },
  validation_failed: { status: 400, message: "The request is not valid" },
  weak_password: { status: 422, message: "Password is too weak" },
  web3_provider_disabled: { status: 400, message: "Web3 provider is disabled" },
  webauthn_challenge_expired: { status: 400, message: "The challenge has expired, ask for a new one" },
  webauthn_challenge_not_found: { status: 400, message: "The challenge does not exist or was used" },
  webauthn_credential_exists: { status: 422, message: "This authenticator is registered already" },
  webauthn_credential_not_found: { status: 404, message: "Passkey not found" },
  webauthn_verification_failed: { status: 400, message: "The passkey could not be verified" },
} as const satisfies Record<string, { status: number; message: string }>;

export type AuthErrorCode = keyof typeof AUTH_ERRORS;

interface AuthErrorExtra extends Pick<AppErrorExtra, "cause" | "headers" | "members" | "retryAfterSeconds"> {
  /** Overrides the status of the code, for example for a banned user at sign-in. */
  readonly status?: number;
}

const API_VERSION = "2024-01-01";

/** Statuses whose `code` is ours. */
const OUR_CODES: ReadonlyMap<number, "UNAUTHORIZED" | "FORBIDDEN" | "RATE_LIMITED"> = new Map([
  [401, "UNAUTHORIZED"],
  [403, "FORBIDDEN"],
  [429, "RATE_LIMITED"],
]);

/**
 * Renders an error for both kinds of clients. With 401, 403 and 429, `code` is our error code and `error_code` is
 * GoTrue's; otherwise `code` is GoTrue's. The client chooses by the presence of the API version header.
 */
export function authError(
  code: AuthErrorCode,
  message: string = AUTH_ERRORS[code].message,
  extra: AuthErrorExtra = {},
): AppError {
  const { status = AUTH_ERRORS[code].status, ...rest } = extra;
  const members = { error_code: code, msg: message, ...rest.members };
  const headers = { ...rest.headers, "x-sb-error-code": code };
  const ourCode = OUR_CODES.get(status);
  if (ourCode !== undefined) return new AppError(ourCode, message, { ...rest, members, headers, upstreamCode: code });
  return new AppError("BAD_REQUEST", message, {
    ...rest,
    members,
    headers: { ...headers, "x-supabase-api-version": API_VERSION },
    foreign: { code, status },
  });
}

/** Codes of the service that GoTrue has another name for. */
const GOTRUE_NAMES: Readonly<Partial<Record<ErrorCode, AuthErrorCode>>> = {
  PAYLOAD_TOO_LARGE: "request_entity_too_large",
  RATE_LIMITED: "over_request_rate_limit",
};

/** The `error_code` of an error that no auth endpoint raised, such as 404 or 415. */
export function authCodeOf({ code, status, extra }: AppError): string {
  const name = GOTRUE_NAMES[code] ?? code.toLowerCase();
  if (extra.foreign === undefined && Object.hasOwn(AUTH_ERRORS, name)) return name;
  return status >= 500 ? "unexpected_failure" : "unknown";
}
