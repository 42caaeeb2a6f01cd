import { inTransaction, type Queryable } from "../../db/index.ts";
import type { AuthContext } from "../auth-context.ts";
import { authError, type AuthErrorCode } from "../auth-error.ts";
import type { AuthCall, AuthEndpoint, AuthResponse } from "../call.ts";
import { lockPrincipal } from "../mfa/lock-principal.ts";
import { endSession, listSessions } from "../sessions/own-sessions.ts";
import { deleteClientSessions } from "../sql/oauth-sessions.ts";
import { deleteSessions, type SessionSelection } from "../sql/sessions.ts";
import { deleteAccount, lockUser } from "../sql/users.ts";
import { recordChange } from "../users/record-change.ts";
import { retryAfterDeadlock } from "../users/retry-after-deadlock.ts";
import { describeAuthSettings, describeHealth } from "./describe-service.ts";
import { GRANT_BODY, grantToken, limitOfGrant } from "./grant-token.ts";
import { SIGN_UP_BODY, signUp } from "./sign-up.ts";
import { getUser, hasCurrentPassword, UPDATE_BODY, updateAccount } from "./user.ts";

/** Endpoints of the client library that are not supported. Each returns the error code that clients test for. */
const UNSUPPORTED: readonly UnsupportedEndpoint[] = [
  { methods: ["POST"], path: "/sso", access: "apikey", code: "saml_provider_disabled" },
  { methods: ["GET", "POST"], path: "/admin/custom-providers", access: "service", code: "feature_disabled" },
  {
    methods: ["GET", "PUT", "DELETE"],
    path: "/admin/custom-providers/:id",
    access: "service",
    code: "feature_disabled",
  },
];

const unsupportedEndpoints: readonly AuthEndpoint[] = UNSUPPORTED.flatMap(({ methods, code, ...endpoint }) =>
  methods.map((method) => ({ ...endpoint, method, limit: "api", run: () => Promise.reject(authError(code)) })),
);

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

interface UnsupportedEndpoint extends Pick<AuthEndpoint, "path" | "access"> {
  readonly methods: readonly AuthEndpoint["method"][];
  readonly code: AuthErrorCode;
}

/** DELETE /user */
async function deleteOwnAccount(context: AuthContext, call: AuthCall): Promise<AuthResponse> {
  const { principal, address } = call;
  if (principal.role !== "authenticated") throw authError("no_authorization");
  const withdraw = await context.prepareWithdrawal(principal.userId);
  await retryAfterDeadlock(() =>
    inTransaction(context.pool, async (client) => {
      const { user, session } = await lockPrincipal(client, call);
      await recordChange(context, client, { action: "account_deleted", user, sessionId: session.id, address });
      await deleteAccount(client, user.id);
    }),
  );
  withdraw();
  return { status: 204 };
}

/** Administrators use it too, with the token of the user whom they sign out. */
async function signOut(context: AuthContext, { principal, query, ...call }: AuthCall): Promise<AuthResponse> {
  if (principal.role !== "authenticated") throw authError("no_authorization");
  const { userId, session } = principal;
  const { lacksSecondFactor = false } = call;
  const which = chooseSessions(query["scope"] ?? "global", {
    userId,
    sessionId: session?.sessionId ?? null,
    lacksSecondFactor,
  });
  if (which === null) return { status: 204 };
  const end = async (client: Queryable): Promise<void> => {
    // Everything that deletes sessions locks the user first, so that two such transactions cannot deadlock.
    await lockUser(client, which.userId);
    await deleteSessions(client, which);
    // Everywhere means programs too; what they were given stays agreed to.
    if (which.only === undefined && which.except === undefined) await deleteClientSessions(client, which);
  };
  await retryAfterDeadlock(() => inTransaction(context.pool, end));
  return { status: 204 };
}

interface SigningOut {
  readonly userId: string;
  readonly sessionId: string | null;
  /** The session then ends only itself: a stolen password must not end the sessions of the owner. */
  readonly lacksSecondFactor: boolean;
}

function chooseSessions(scope: string, from: SigningOut): SessionSelection | null {
  const { userId, sessionId, lacksSecondFactor } = from;
  switch (scope) {
    case "":
    case "global":
      return lacksSecondFactor ? chooseSessions("local", from) : { userId };
    case "local":
      return sessionId === null ? null : { userId, only: sessionId };
    case "others":
      if (lacksSecondFactor) throw authError("insufficient_aal", undefined, { status: 403 });
      return sessionId === null ? { userId } : { userId, except: sessionId };
    default:
      throw authError("validation_failed", "scope must be one of global, local, others");
  }
}
