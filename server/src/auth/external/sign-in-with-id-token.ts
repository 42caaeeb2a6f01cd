import { createHash } from "node:crypto";
import type { JWTPayload } from "jose";
import pg from "pg";
import * as z from "zod";
import { inTransaction, type Queryable } from "../../db/index.ts";
import { AppError } from "../../errors/index.ts";
import type { AuthContext } from "../auth-context.ts";
import { authError } from "../auth-error.ts";
import type { AuthCall } from "../call.ts";
import { parseAuthBody } from "../parse-call.ts";
import { authenticate } from "../principal/authenticate.ts";
import { finishSession, issueSession } from "../sessions/issue-session.ts";
import type { SessionBody } from "../sessions/render-session.ts";
import { messageSignatureError } from "../signature-errors.ts";
import { insertSignInFlow } from "../sql/sign-in-flows.ts";
import { admitIdentity, OAUTH_METHOD } from "./admit-identity.ts";
import { toProviderError } from "./answers.ts";
import { linkIdentity } from "./link-identity.ts";
import { type ExternalProfile, readProfile } from "./profile.ts";
import type { SignInProvider } from "../../sign-in-providers/index.ts";
import { hashSecret } from "./sign-in-state.ts";

const MAX_TOKEN = 16_384;

export const ID_TOKEN_BODY = z.object({
  provider: z.string().max(100).default(""),
  id_token: z.string().max(MAX_TOKEN).default(""),
  access_token: z.string().max(MAX_TOKEN).optional(),
  nonce: z.string().max(1_000).default(""),
  link_identity: z.boolean().default(false),
});

/** With an ID token that a library of the provider has given to the app. */
export async function signInWithIdToken(context: AuthContext, call: AuthCall): Promise<SessionBody> {
  const { provider: name, id_token: token, nonce, link_identity: isLinking } = parseAuthBody(ID_TOKEN_BODY, call);
  if (token === "") throw authError("validation_failed", "id_token required");
  const provider = context.signInProviders.require(name);
  const { claims, profile } = await readToken(context, provider, token);
  requireNonce(claims, nonce);
  const presented = { provider: name, profile, call };
  const useNonce = (client: Queryable): Promise<void> => requireUnused(client, name, nonce, claims);
  if (!isLinking) {
    const issued = await admitIdentity(context, presented, async (client, user, isNew) => {
      await useNonce(client);
      return issueSession(context, client, { user, method: OAUTH_METHOD, call, isNew });
    });
    return finishSession(context, issued);
  }
  // Every other grant ignores the bearer, so the guard has not looked at it.
  const { apikey, authorization } = call.headers;
  const rule = { access: "user", isBearerIgnored: false, aal1: "rejected" } as const;
  const { principal, requiredSignatures } = await authenticate(context, rule, { apikey, authorization });
  if (requiredSignatures !== undefined) throw messageSignatureError("REQUIRED");
  if (principal.scopes !== undefined) throw authError("api_key_not_allowed");
  const sessionId = principal.session?.sessionId ?? null;
  if (sessionId === null) throw authError("session_not_found");
  const issued = await inTransaction(context.pool, async (client) => {
    await useNonce(client);
    return linkIdentity(context, client, { ...presented, sessionId });
  });
  context.mailWakeUp.trigger();
  return finishSession(context, issued);
}

async function readToken(
  context: AuthContext,
  provider: SignInProvider,
  token: string,
): Promise<Readonly<{ claims: JWTPayload; profile: ExternalProfile }>> {
  await context.signInProviders.open(provider).catch((error: unknown) => {
    throw toProviderError(context, provider, error);
  });
  try {
    const claims = await context.signInProviders.verify(provider, token, provider.audiences);
    return { claims, profile: readProfile(provider, claims) };
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw authError("bad_jwt", "The ID token is not valid", { status: 400, cause: error });
  }
}

/** The app gives the provider the hash of its nonce, so that whoever sees the token does not know the nonce. */
function requireNonce(claims: JWTPayload, nonce: string): void {
  const known = claims["nonce"] ?? "";
  if ((known === "") !== (nonce === ""))
    throw authError("validation_failed", "Passed nonce and nonce in id_token should either both exist or not.");
  if (nonce !== "" && known !== createHash("sha256").update(nonce).digest("hex"))
    throw authError("validation_failed", "Nonces mismatch");
}

/** A token with a nonce signs in once. Libraries return one without a nonce again and again. */
async function requireUnused(client: Queryable, name: string, nonce: string, claims: JWTPayload): Promise<void> {
  if (nonce === "") return;
  const state_hash = hashSecret(`nonce:${name}:${nonce}`);
  const expires_at = new Date(((claims.exp ?? 0) + NONCE_MARGIN_SECONDS) * 1000);
  await insertSignInFlow(client, { provider: name, state_hash, redirect_to: "", expires_at }).catch(
    (error: unknown) => {
      const isUsed = error instanceof pg.DatabaseError && error.code === "23505";
      throw isUsed ? authError("bad_jwt", "The ID token was used before", { status: 400 }) : error;
    },
  );
}

/** Longer than the tolerance of clocks. */
const NONCE_MARGIN_SECONDS = 60;
