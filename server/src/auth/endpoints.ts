import { accountEndpoints } from "./accounts/account-endpoints.ts";
import { adminEndpoints } from "./admin/admin-endpoints.ts";
import type { AuthEndpoint } from "./call.ts";
import { externalEndpoints } from "./external/external-endpoints.ts";
import type { AccessRule } from "./principal/authenticate.ts";
import { mfaEndpoints } from "./mfa/mfa-endpoints.ts";
import { oauthClientEndpoints } from "./oauth/clients/oauth-client-endpoints.ts";
import { oauthEndpoints } from "./oauth/oauth-endpoints.ts";
import { oneTimeEndpoints } from "./one-time/one-time-endpoints.ts";
import { passkeyEndpoints } from "./passkeys/endpoints.ts";
import { wellKnownEndpoints } from "./well-known-endpoints.ts";

/** All endpoints under `/auth/v1`. */
export const authEndpoints: readonly AuthEndpoint[] = [
  ...accountEndpoints,
  ...oneTimeEndpoints,
  ...externalEndpoints,
  ...mfaEndpoints,
  ...passkeyEndpoints,
  ...oauthEndpoints,
  ...adminEndpoints,
  ...oauthClientEndpoints,
  ...wellKnownEndpoints,
];

/** The whole path of an endpoint. */
export function endpointPath({ path, isOutside = false }: Pick<AuthEndpoint, "path" | "isOutside">): string {
  return isOutside ? path : `/auth/v1${path}`;
}

/** What the auth guard requires of the callers of an endpoint. */
export function ruleOf({ access, keyScope, needsUser, isAal1Accepted, needsProof }: AuthEndpoint): AccessRule {
  return {
    access,
    isBearerIgnored: access === "apikey",
    aal1: isAal1Accepted === true ? "accepted" : "rejected",
    ...(keyScope !== undefined && { keyScope }),
    ...(needsUser !== undefined && { needsUser }),
    ...(needsProof !== undefined && { needsProof }),
  };
}
