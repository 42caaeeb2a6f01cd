import type { AuthEndpoint } from "../call.ts";
import { describeHealth, describeSettings } from "./describe-service.ts";
import { getUser } from "./get-user.ts";
import { grantToken, limitOfGrant } from "./grant-token.ts";
import { notOfferedEndpoints } from "./not-offered.ts";
import { signOut } from "./sign-out.ts";
import { signUp } from "./sign-up.ts";
import { updateAccount } from "./update-account.ts";

export const accountEndpoints: readonly AuthEndpoint[] = [
  { method: "POST", path: "/signup", access: "apikey", limit: "auth", run: signUp },
  { method: "POST", path: "/token", access: "apikey", limit: "auth", limitOf: limitOfGrant, run: grantToken },
  { method: "POST", path: "/logout", access: "user", limit: "api", run: signOut },
  { method: "GET", path: "/user", access: "user", limit: "api", run: getUser },
  { method: "PUT", path: "/user", access: "user", limit: "api", run: updateAccount },
  { method: "GET", path: "/settings", access: "apikey", limit: "api", run: async (room) => describeSettings(room) },
  { method: "GET", path: "/health", access: "public", limit: null, run: async () => describeHealth() },
  ...notOfferedEndpoints,
];
