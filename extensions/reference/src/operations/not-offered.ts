import type { AuthErrorCode } from "swarmbase/extension";

/** Calls of supabase-js that the service always rejects, by operation, with the error code of the response. */
export const NOT_OFFERED: Readonly<Record<string, AuthErrorCode>> = {
  "POST /auth/v1/sso": "saml_provider_disabled",
  "GET /auth/v1/admin/custom-providers": "feature_disabled",
  "POST /auth/v1/admin/custom-providers": "feature_disabled",
  "GET /auth/v1/admin/custom-providers/{id}": "feature_disabled",
  "PUT /auth/v1/admin/custom-providers/{id}": "feature_disabled",
  "DELETE /auth/v1/admin/custom-providers/{id}": "feature_disabled",
};
