import type { AuthEndpoint } from "../call.ts";
import { endSession, listSessions } from "../sessions/own-sessions.ts";
import { deleteOwnAccount } from "./delete-own-account.ts";
import { describeHealth, describeAuthSettings } from "./describe-service.ts";
import { GRANT_BODY, grantToken, limitOfGrant } from "./grant-token.ts";
import { signOut } from "./sign-out.ts";
import { SIGN_UP_BODY, signUp } from "./sign-up.ts";
import { unsupportedEndpoints } from "./unsupported-endpoints.ts";
import { getUser, hasCurrentPassword, UPDATE_BODY, updateAccount } from "./user.ts";

export const accountEndpoints: readonly AuthEndpoint[] = [
  { method: "POST", path: "/signup", access: "apikey", limit: "auth", body: SIGN_UP_BODY, run: signUp },
  {
    method: "POST",
    path: "/token",
    access: "apikey",
    limit: "auth",
    limitOf: limitOfGrant,
    body: GRANT_BODY,
    run: grantToken,
  },
  { method: "POST", path: "/logout", access: "user", isAal1Accepted: true, limit: "api", run: signOut },
  { method: "GET", path: "/sessions", access: "user", limit: "api", run: listSessions },
  { method: "DELETE", path: "/sessions/:id", access: "user", limit: "api", run: endSession },
  {
    method: "GET",
    path: "/user",
    access: "user",
    isAal1Accepted: true,
    needsUser: true,
    limit: "api",
    run: getUser,
  },
  {
    method: "PUT",
    path: "/user",
    access: "user",
    limit: "api",
    isAttempt: hasCurrentPassword,
    body: UPDATE_BODY,
    run: updateAccount,
  },
  { method: "DELETE", path: "/user", access: "user", needsProof: true, limit: "auth", run: deleteOwnAccount },
  { method: "GET", path: "/settings", access: "apikey", limit: "api", run: describeAuthSettings },
  { method: "GET", path: "/health", access: "public", limit: null, run: describeHealth },
  ...unsupportedEndpoints,
];
