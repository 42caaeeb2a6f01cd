import type { AuthEndpoint } from "../call.ts";
import { endSession } from "../sessions/end-session.ts";
import { listSessions } from "../sessions/list-sessions.ts";
import { describeHealth, describeSettings } from "./describe-service.ts";
import { getUser } from "./get-user.ts";
import { GRANT_BODY, grantToken, limitOfGrant } from "./grant-token.ts";
import { notOfferedEndpoints } from "./not-offered.ts";
import { signOut } from "./sign-out.ts";
import { SIGN_UP_BODY, signUp } from "./sign-up.ts";
import { UPDATE_BODY, updateAccount } from "./update-account.ts";

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
  { method: "POST", path: "/logout", access: "user", limit: "api", run: signOut },
  { method: "GET", path: "/sessions", access: "user", limit: "api", run: listSessions },
  { method: "DELETE", path: "/sessions/:id", access: "user", limit: "api", run: endSession },
  { method: "GET", path: "/user", access: "user", limit: "api", run: getUser },
  { method: "PUT", path: "/user", access: "user", limit: "api", body: UPDATE_BODY, run: updateAccount },
  {
    method: "GET",
    path: "/settings",
    access: "apikey",
    limit: "api",
    run: async (context) => describeSettings(context),
  },
  { method: "GET", path: "/health", access: "public", limit: null, run: async () => describeHealth() },
  ...notOfferedEndpoints,
];
