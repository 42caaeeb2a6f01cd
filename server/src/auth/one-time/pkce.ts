import { createHash, randomUUID } from "node:crypto";
import { isRecord } from "../../json/index.ts";
import { authError } from "../auth-error.ts";
import type { AuthCall } from "../call.ts";
import { isSameHash } from "./one-time-secret.ts";

const CHALLENGE = /^[A-Za-z0-9._~-]{43,128}$/;

/** What a client promises at the start of a flow: only who knows the verifier behind it can finish. */
export interface PkceChallenge {
  readonly challenge: string;
  readonly method: "s256" | "plain";
}

/** The promise in a request body; null when it makes none. */
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

export function newAuthCode(): { readonly code: string; readonly hash: Buffer } {
  const code = randomUUID();
  return { code, hash: hashAuthCode(code) };
}

export function hashAuthCode(code: string): Buffer {
  return hashText(code);
}

function hashText(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
