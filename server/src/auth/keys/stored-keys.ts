import type { JWK } from "jose";

export type SigningPurpose = "access_token" | "role_key";
export type SigningStatus = "standby" | "current" | "previous" | "revoked";
export type KeyRole = "anon" | "service_role";

export const KEY_ROLES = ["anon", "service_role"] as const satisfies readonly KeyRole[];
export const SIGNING_PURPOSES = ["access_token", "role_key"] as const satisfies readonly SigningPurpose[];
export const SIGNING_ALGORITHM = "ES256";

/** What tokens may be signed with. Our own keys are ES256; the others come in from elsewhere. */
export const TOKEN_ALGORITHMS = ["ES256", "RS256", "HS256"] as const;
export type TokenAlgorithm = (typeof TOKEN_ALGORITHMS)[number];

export interface SigningKeyRow {
  readonly kid: string;
  readonly purpose: SigningPurpose;
  readonly algorithm: TokenAlgorithm;
  /** Null for HS256, whose one key is a secret. */
  readonly public_jwk: JWK | null;
  /** Null when only the public half was ever given to us. For HS256 it holds the secret. */
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
