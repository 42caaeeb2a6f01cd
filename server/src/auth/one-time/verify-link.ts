import { AppError } from "../../errors/index.ts";
import type { AuthContext } from "../auth-context.ts";
import type { Queryable } from "../../db/index.ts";
import { authError } from "../auth-error.ts";
import type { AuthResponse, AuthCall } from "../call.ts";
import { finishSession, type IssuedSession, issueSession } from "../sessions/issue-session.ts";
import type { OneTimeRow } from "../sql/one-time-tokens.ts";
import type { UsedOneTime } from "./confirm-email.ts";
import { findOneTimeByLink, LINK_ERROR_MESSAGE, oneTimeError } from "./find-one-time.ts";
import { addToFragment, addToQuery, chooseRedirect, redirect, type RedirectFields, sessionFields } from "./links.ts";
import { kindsOf, type VerifyType, HALF_MESSAGE, methodOf, TOKEN_LENGTH, VERIFY_TYPE } from "./one-time-kind.ts";
import { PKCE_PREFIX } from "./one-time-secret.ts";
import { issueAuthCode } from "./pkce.ts";
import { useOneTime } from "./use-one-time.ts";

/** GET /verify: the link of a mail. Always returns a redirect. */
export async function verifyLink(context: AuthContext, call: AuthCall): Promise<AuthResponse> {
  // A prefetch is not a click, and the link is valid once.
  if (isPrefetch(call)) return { status: 503, headers: { "cache-control": "no-store" } };
  const tokenHash = call.query["token"] ?? call.query["token_hash"] ?? "";
  const target = chooseRedirect(context, call.query["redirect_to"]);
  const isPkce = tokenHash.startsWith(PKCE_PREFIX);
  try {
    const type = parseType(call.query["type"]);
    const found = tokenHash.length > TOKEN_LENGTH ? null : await findOneTimeByLink(context, tokenHash, kindsOf(type));
    if (found === null) throw oneTimeError();
    const followed = await useOneTime(context, found, call, (client, used) =>
      follow(context, client, used, { call, found, type, target }),
    );
    if (typeof followed === "string") return redirect(followed);
    const fields = sessionFields(await finishSession(context, followed));
    return redirect(addToFragment(target, { ...fields, type }));
  } catch (error) {
    const fields = describeFailure(error);
    // Clients of the PKCE flow read the query, the others the fragment.
    return redirect(addToFragment(isPkce ? addToQuery(target, fields) : target, { ...fields, sb: "" }));
  }
}

interface Followed {
  readonly call: AuthCall;
  readonly found: OneTimeRow;
  readonly type: VerifyType;
  readonly target: string;
}

/** Returns the address to go to, or the session whose tokens it gets. */
async function follow(
  context: AuthContext,
  client: Queryable,
  used: UsedOneTime,
  { call, found, type, target }: Followed,
): Promise<string | IssuedSession> {
  const isPkce = found.flow_state_id !== null;
  if (used === "half") {
    return isPkce
      ? addToQuery(target, { message: HALF_MESSAGE })
      : addToFragment(target, { message: HALF_MESSAGE, sb: "" });
  }
  if (found.flow_state_id !== null) {
    return addToQuery(target, { code: await issueAuthCode(context, client, found.flow_state_id) });
  }
  return issueSession(context, client, { user: used.user, method: methodOf(type), call });
}

function parseType(text: string | undefined): VerifyType {
  const parsed = VERIFY_TYPE.safeParse(text);
  if (!parsed.success) throw authError("validation_failed", "Verify requires a known verification type");
  return parsed.data;
}

/** The parameters with which the application shows the error. Throws internal errors, so that clients retry. */
function describeFailure(error: unknown): RedirectFields {
  if (!(error instanceof AppError) || error.status >= 500) throw error;
  const code = error.extra.members?.["error_code"];
  const isRejected = code === "otp_expired";
  return {
    error: error.status === 403 ? "access_denied" : "invalid_request",
    error_code: typeof code === "string" ? code : error.code,
    error_description: isRejected ? LINK_ERROR_MESSAGE : error.message,
  };
}

function isPrefetch({ headers }: AuthCall): boolean {
  return [headers["sec-purpose"], headers["purpose"], headers["x-moz"]].some((purpose) =>
    /prefetch|prerender/i.test(purpose ?? ""),
  );
}
