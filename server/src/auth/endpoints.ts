import { accountEndpoints } from "./accounts/endpoints.ts";
import { adminEndpoints } from "./admin/endpoints.ts";
import type { AuthEndpoint } from "./call.ts";
import { mfaEndpoints } from "./mfa/endpoints.ts";
import { oneTimeEndpoints } from "./one-time/endpoints.ts";
import { tokenEndpoints } from "./tokens/endpoints.ts";

/** All endpoints under `/auth/v1`. */
export const authEndpoints: readonly AuthEndpoint[] = [
  ...accountEndpoints,
  ...oneTimeEndpoints,
  ...mfaEndpoints,
  ...adminEndpoints,
  ...tokenEndpoints,
];
