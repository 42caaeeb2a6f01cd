import type { AppError } from "../../errors/index.ts";
import { type AuthErrorCode, authError } from "../auth-error.ts";
import type { AuthEndpoint } from "../call.ts";

type UnsupportedEndpoint = Pick<AuthEndpoint, "method" | "path" | "access"> & { readonly code: AuthErrorCode };

/** Endpoints of the client library that are not supported. Each returns the error code that clients test for. */
const UNSUPPORTED: readonly UnsupportedEndpoint[] = [
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

export const unsupportedEndpoints: readonly AuthEndpoint[] = UNSUPPORTED.map(({ method, path, access, code }) => ({
  method,
  path,
  access,
  limit: "api",
  run: () => Promise.reject(authError(code)),
}));

export interface UnsupportedEndpoints extends Pick<AuthEndpoint, "access"> {
  readonly endpoints: readonly (readonly [AuthEndpoint["method"], string])[];
  makeError(): AppError;
}

/** Endpoints that return one fixed error. */
export function buildUnsupported({ access, endpoints, makeError }: UnsupportedEndpoints): AuthEndpoint[] {
  return endpoints.map(([method, path]) => ({
    method,
    path,
    access,
    limit: "api",
    run: () => Promise.reject(makeError()),
  }));
}
