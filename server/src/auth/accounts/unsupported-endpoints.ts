import type { AppError } from "../../errors/index.ts";
import { type AuthErrorCode, authError } from "../auth-error.ts";
import type { AuthEndpoint } from "../call.ts";

type NotOffered = Pick<AuthEndpoint, "method" | "path" | "access"> & { readonly code: AuthErrorCode };

/** What the client library can ask for and this service does not do; each says so in the code that clients test for. */
const NOT_OFFERED: readonly NotOffered[] = [
  { method: "POST", path: "/sso", access: "apikey", code: "saml_provider_disabled" },
  { method: "GET", path: "/authorize", access: "public", code: "oauth_provider_not_supported" },
  { method: "GET", path: "/callback", access: "public", code: "oauth_provider_not_supported" },
  { method: "POST", path: "/callback", access: "public", code: "oauth_provider_not_supported" },
  { method: "GET", path: "/passkeys", access: "apikey", code: "passkey_disabled" },
  { method: "PATCH", path: "/passkeys/:id", access: "apikey", code: "passkey_disabled" },
  { method: "DELETE", path: "/passkeys/:id", access: "apikey", code: "passkey_disabled" },
  { method: "POST", path: "/passkeys/registration/options", access: "apikey", code: "passkey_disabled" },
  { method: "POST", path: "/passkeys/registration/verify", access: "apikey", code: "passkey_disabled" },
  { method: "POST", path: "/passkeys/authentication/options", access: "apikey", code: "passkey_disabled" },
  { method: "POST", path: "/passkeys/authentication/verify", access: "apikey", code: "passkey_disabled" },
];

export const notOfferedEndpoints: readonly AuthEndpoint[] = NOT_OFFERED.map(({ method, path, access, code }) => ({
  method,
  path,
  access,
  limit: "api",
  run: () => Promise.reject(authError(code)),
}));

export interface Refusals extends Pick<AuthEndpoint, "access"> {
  readonly endpoints: readonly (readonly [AuthEndpoint["method"], string])[];
  makeError(): AppError;
}

/** Endpoints that the client library knows and that only say why they do nothing. */
export function buildRefusals({ access, endpoints, makeError }: Refusals): AuthEndpoint[] {
  return endpoints.map(([method, path]) => ({
    method,
    path,
    access,
    limit: "api",
    run: () => Promise.reject(makeError()),
  }));
}
