import * as z from "zod";
import { authError } from "../auth-error.ts";
import type { AuthResponse, AuthCall } from "../call.ts";
import { ID_TOKEN_BODY, signInWithIdToken } from "../external/sign-in-with-id-token.ts";
import { CODE_BODY } from "../one-time/pkce.ts";
import type { AuthContext } from "../auth-context.ts";
import { refreshSession } from "../sessions/refresh-session.ts";
import { parseBody } from "../parse-call.ts";
import { exchangeCode } from "./exchange-code.ts";
import { PASSWORD_BODY, signInWithPassword } from "./sign-in-with-password.ts";

const REFRESH_BODY = z.object({ refresh_token: z.string().default("") });

/** By `grant_type`: password, refresh_token, pkce, id_token. */
export const GRANT_BODY = z.union([PASSWORD_BODY, REFRESH_BODY, CODE_BODY, ID_TOKEN_BODY]);

/** POST /token: dispatches on `grant_type`. */
export async function grantToken(context: AuthContext, call: AuthCall): Promise<AuthResponse> {
  switch (call.query["grant_type"]) {
    case "password":
      return answer(await signInWithPassword(context, call));
    case "refresh_token":
      return answer(await refresh(context, call));
    case "pkce":
      return answer(await exchangeCode(context, call));
    case "id_token":
      return answer(await signInWithIdToken(context, call));
    case "web3":
      throw authError("web3_provider_disabled");
    default:
      throw authError("invalid_credentials", "unsupported_grant_type");
  }
}

/** Only a password can be guessed here; a refresh is not a sign-in attempt. */
export function limitOfGrant({ grant_type: grantType }: AuthCall["query"]): "api" | "auth" | "refresh" {
  if (grantType === "refresh_token") return "refresh";
  return grantType === "password" ? "auth" : "api";
}

async function refresh(context: AuthContext, call: AuthCall) {
  const { refresh_token: token } = parseBody(REFRESH_BODY, call);
  if (token === "") throw authError("validation_failed", "refresh_token required");
  return refreshSession(context, { text: token, address: call.address });
}

function answer(body: unknown): AuthResponse {
  return { status: 200, body, headers: { "cache-control": "no-store" } };
}
