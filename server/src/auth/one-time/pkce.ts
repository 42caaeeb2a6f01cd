import { createHash, randomUUID } from "node:crypto";
import * as z from "zod";
import { isRecord } from "../../json/index.ts";
import type { AuthContext } from "../auth-context.ts";
import { authError } from "../auth-error.ts";
import type { AuthCall } from "../call.ts";
import { findFlowState, type FlowStateRow, writeAuthCode } from "../sql/flow-states.ts";
import type { Queryable } from "../../db/index.ts";
import { isSameHash } from "./one-time-secret.ts";

const CHALLENGE = /^[A-Za-z0-9._~-]{43,128}$/;

/** The exchange follows the redirect at once. */
const AUTH_CODE_LIFE_MS = 5 * 60 * 1000;

/** The code challenge of PKCE: only the client that knows the verifier can finish the flow. */
export interface PkceChallenge {
  readonly challenge: string;
  readonly method: "s256" | "plain";
}

/** Returns the code challenge of a request body, or null when there is none. */
export function readPkce(call: Pick<AuthCall, "body">): PkceChallenge | null {
  const body = isRecord(call.body) ? call.body : {};
  const challenge = body["code_challenge"] ?? "";
  const method = body["code_challenge_method"] ?? "";
  if (challenge === "" && method === "") return null;
  if (challenge === "" || method === "") {
    throw authError("validation_failed", "PKCE flow requires code_challenge_method and code_challenge");
  }
  if (typeof challenge !== "string" || !CHALLENGE.test(challenge)) {
    throw authError("validation_failed", "code_challenge has to be between 43 and 128 characters and URL-safe");
  }
  const spoken = typeof method === "string" ? method.toLowerCase() : "";
  if (spoken !== "s256" && spoken !== "plain") {
    throw authError("validation_failed", "code_challenge_method must be s256 or plain");
  }
  return { challenge, method: spoken };
}

export function isVerifierOf({ challenge, method }: PkceChallenge, verifier: string): boolean {
  const derived = method === "plain" ? verifier : createHash("sha256").update(verifier).digest("base64url");
  return isSameHash(hashText(derived), hashText(challenge));
}

/** Returns the code that the app exchanges. */
export async function issueAuthCode({ clock }: AuthContext, client: Queryable, flowStateId: string): Promise<string> {
  const code = randomUUID();
  const issuedAt = clock.now();
  const expiresAt = new Date(issuedAt.getTime() + AUTH_CODE_LIFE_MS);
  await writeAuthCode(client, flowStateId, { authCodeHash: hashAuthCode(code), issuedAt, expiresAt });
  return code;
}

export function hashAuthCode(code: string): Buffer {
  return hashText(code);
}

function hashText(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

/** Throws unless the verifier is that of the flow. */
export function checkVerifier(state: FlowStateRow, verifier: string): void {
  const promised = { challenge: state.code_challenge, method: state.code_challenge_method };
  if (!isVerifierOf(promised, verifier)) throw authError("bad_code_verifier");
}

/** A leaked link of a flow is worth nothing without the verifier, whichever call it is presented to. */
export async function requireVerifier(context: AuthContext, flowStateId: string, verifier: string): Promise<void> {
  if (verifier === "") {
    throw authError("validation_failed", "The link belongs to a PKCE flow and requires its code_verifier");
  }
  const state = await findFlowState(context.pool, flowStateId);
  if (state === null) throw authError("flow_state_not_found");
  checkVerifier(state, verifier);
}

export const CODE_VERIFIER = z.string().max(1_000).default("");

export const CODE_BODY = z.object({ auth_code: z.string().max(200).default(""), code_verifier: CODE_VERIFIER });
