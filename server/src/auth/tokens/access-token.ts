import { isUuid } from "@swarmbase/sdk";
import { createHmac, sign } from "node:crypto";
import { isRecord, type JsonRecord } from "../../json/index.ts";
import type { CurrentSigningKey } from "../keys/load-keys.ts";
import type { AmrEntry } from "../sql/sessions.ts";
import type { KeyRing } from "./key-ring.ts";
import { tokenError } from "./token-error.ts";

/** The claims of an access token. */
export interface AccessClaims {
  readonly iss: string;
  readonly sub: string;
  readonly aud: string;
  readonly exp: number;
  readonly iat: number;
  readonly email: string;
  readonly phone: string;
  readonly app_metadata: Readonly<Record<string, unknown>>;
  readonly user_metadata: Readonly<Record<string, unknown>>;
  readonly role: string;
  readonly aal: "aal1" | "aal2";
  readonly amr: readonly AmrEntry[];
  readonly session_id: string;
  /** The refresh counter of the session when the token was issued. Tokens of imported keys have none. */
  readonly refresh_counter?: number;
  readonly is_anonymous: boolean;
}

export async function signAccessToken(ring: KeyRing, claims: AccessClaims | JsonRecord): Promise<string> {
  const { current } = ring;
  const header = encode({ alg: current.algorithm, kid: current.kid, typ: "JWT" });
  const signed = `${header}.${encode(claims)}`;
  return `${signed}.${makeSignature(current, signed).toString("base64url")}`;
}

/** Tokens of imported keys can lack claims that ours always have. Additional claims are kept for row-level policies. */
export function parseAccessClaims(claims: Readonly<Record<string, unknown>>): AccessClaims {
  const { sub, role, session_id: sessionId = "", iat } = claims;
  if (sub === undefined || sub === "") throw tokenError("no_user");
  if (!isUuid(sub) || typeof role !== "string" || role === "") throw tokenError("bad_claims");
  if (sessionId !== "" && !isUuid(sessionId)) throw tokenError("bad_claims");
  return {
    ...claims,
    iss: textOf(claims["iss"]),
    sub: sub.toLowerCase(),
    aud: "authenticated",
    exp: Number(claims["exp"]),
    iat: typeof iat === "number" ? iat : 0,
    email: textOf(claims["email"]),
    phone: textOf(claims["phone"]),
    app_metadata: objectOf(claims["app_metadata"]),
    user_metadata: objectOf(claims["user_metadata"]),
    role,
    aal: claims["aal"] === "aal2" ? "aal2" : "aal1",
    amr: Array.isArray(claims["amr"]) ? claims["amr"].filter(isAmrEntry) : [],
    session_id: sessionId.toLowerCase(),
    is_anonymous: claims["is_anonymous"] === true,
  };
}

function makeSignature({ algorithm, privateKey }: CurrentSigningKey, signed: string): Buffer {
  switch (algorithm) {
    case "ES256":
      return sign("sha256", Buffer.from(signed), { key: privateKey, dsaEncoding: "ieee-p1363" });
    case "RS256":
      return sign("sha256", Buffer.from(signed), privateKey);
    case "HS256":
      return createHmac("sha256", privateKey).update(signed).digest();
  }
}

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function objectOf(value: unknown): Record<string, unknown> {
  return isRecord(value) ? value : {};
}

function isAmrEntry(value: unknown): value is AmrEntry {
  const { method, timestamp } = objectOf(value);
  return typeof method === "string" && typeof timestamp === "number";
}
