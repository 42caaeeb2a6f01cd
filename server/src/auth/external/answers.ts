import { AppError } from "../../errors/index.ts";
import type { AuthContext } from "../auth-context.ts";
import { authError } from "../auth-error.ts";
import type { AuthResponse } from "../call.ts";
import { addToFragment, addToQuery, redirect } from "../one-time/links.ts";
import type { SignInProvider } from "../../sign-in-providers/index.ts";

export function callbackUrlOf({ baseUrl }: Pick<AuthContext, "baseUrl">): string {
  return `${baseUrl}/auth/v1/callback`;
}

/** What an issuer answers in `error` that the app can act on. */
const KNOWN_ERRORS: ReadonlySet<string> = new Set(
  "access_denied consent_required interaction_required login_required temporarily_unavailable".split(" "),
);

/** Sends the browser back to the app, which finds the error in the query and in the fragment. Throws internal errors. */
export function redirectFailure(target: string, error: unknown): AuthResponse {
  if (!(error instanceof AppError) || error.status >= 500) throw error;
  const code = error.extra.members?.["error_code"];
  const given = error.extra.members?.["provider_error"];
  const standard =
    error.status === 403 ? "access_denied" : code === "bad_oauth_callback" ? "server_error" : "invalid_request";
  const fields = {
    error: typeof given === "string" && KNOWN_ERRORS.has(given) ? given : standard,
    error_code: typeof code === "string" ? code : error.code,
    error_description: error.message,
  };
  return redirect(addToFragment(addToQuery(target, fields), { ...fields, sb: "" }));
}

const MAX_REASON = 500;
const OAUTH_CODE = /^[a-z_]{1,64}$/;

/** The messages of an error and its causes, and the code that the provider gave; what else errors carry can be tokens. */
export function explain(error: unknown): string {
  const parts: string[] = [];
  for (let cause = error; cause instanceof Error && parts.length < 6; cause = cause.cause) {
    const code: unknown = Reflect.get(cause, "error");
    parts.push(cause.message, ...(typeof code === "string" && OAUTH_CODE.test(code) ? [code] : []));
  }
  return parts.join(": ").slice(0, MAX_REASON);
}

/** The texts of the provider are for the operator: they can contain anything. */
export function toProviderError(
  { observer }: Pick<AuthContext, "observer">,
  { name, label }: SignInProvider,
  error: unknown,
): AppError {
  if (error instanceof AppError) return error;
  observer.note("sign_in.provider_failed", { provider: name, reason: explain(error) });
  return authError("bad_oauth_callback", `The sign-in with ${label} could not be completed`, { cause: error });
}
