import { createPrivateKey, createPublicKey, createSecretKey, type KeyObject } from "node:crypto";
import type { JWK } from "jose";
import { deriveKey, UnwrapError, unwrapSecret, wrapSecret } from "../../crypto/index.ts";

export type SigningPurpose = "access_token" | "role_key";
export type SigningStatus = "standby" | "current" | "previous" | "revoked";
export type KeyRole = "anon" | "service_role";

export const KEY_ROLES = ["anon", "service_role"] as const satisfies readonly KeyRole[];
export const SIGNING_PURPOSES = ["access_token", "role_key"] as const satisfies readonly SigningPurpose[];
export const SIGNING_ALGORITHM = "ES256";

/** The algorithms of tokens. Our keys use ES256; imported keys use any of them. */
export const TOKEN_ALGORITHMS = ["ES256", "RS256", "HS256"] as const;
export type TokenAlgorithm = (typeof TOKEN_ALGORITHMS)[number];

export interface SigningKeyRow {
  readonly kid: string;
  readonly purpose: SigningPurpose;
  readonly algorithm: TokenAlgorithm;
  /** Null for HS256, which has no public key. */
  readonly public_jwk: JWK | null;
  /** Null when only the public key was imported. For HS256 it is the secret. */
  readonly private_key_wrapped: Buffer | null;
  readonly status: SigningStatus;
}

export interface ApiKeyRow {
  readonly id: string;
  readonly role: KeyRole;
  readonly token_wrapped: Buffer;
  readonly token_hash: Buffer;
  readonly kid: string;
  readonly revoked_at: Date | null;
}

export class MasterKeyError extends Error {
  override readonly name = "MasterKeyError";

  constructor(cause: unknown) {
    super("MASTER_KEY does not open the keys stored in this database", { cause });
  }
}

export function signingKeyContext(kid: string): string {
  return `signing-key:${kid}`;
}

export function apiKeyContext(id: string, role: KeyRole): string {
  return `api-key:${role}:${id}`;
}

export function wrapStoredKey(masterKey: string, plain: Buffer, context: string): Buffer {
  return wrapSecret(wrappingKey(masterKey), plain, context);
}

export function openStoredKey(masterKey: string, wrapped: Buffer, context: string): Buffer {
  try {
    return unwrapSecret(wrappingKey(masterKey), wrapped, context);
  } catch (error) {
    if (error instanceof UnwrapError) throw new MasterKeyError(error);
    throw error;
  }
}

function wrappingKey(masterKey: string): Buffer {
  return deriveKey(masterKey, "stored-keys");
}

export function openSigningKey(row: SigningKeyRow, masterKey: string): KeyObject {
  if (row.private_key_wrapped === null) throw new Error(`the key ${row.kid} can verify tokens, not sign them`);
  const plain = openStoredKey(masterKey, row.private_key_wrapped, signingKeyContext(row.kid));
  if (row.algorithm === "HS256") return createSecretKey(plain);
  return createPrivateKey({ key: plain, format: "der", type: "pkcs8" });
}

export function openVerifyingKey(row: SigningKeyRow, masterKey: string): KeyObject {
  if (row.algorithm === "HS256") return openSigningKey(row, masterKey);
  if (row.public_jwk === null) throw new Error(`the key ${row.kid} lacks its public half`);
  return createPublicKey({ key: row.public_jwk, format: "jwk" });
}
