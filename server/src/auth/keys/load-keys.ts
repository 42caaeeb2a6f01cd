import type { KeyObject } from "node:crypto";
import type { JWK } from "jose";
import type { ClientBase } from "pg";
import type { Clock } from "../../time/index.ts";
import { selectApiKeys } from "./sql/api-keys.ts";
import { selectSigningKeys } from "./sql/signing-keys.ts";
import {
  openSigningKey,
  openVerifyingKey,
  apiKeyContext,
  openStoredKey,
  type ApiKeyRow,
  type KeyRole,
  type SigningPurpose,
  type SigningStatus,
  type TokenAlgorithm,
} from "./stored-keys.ts";

interface LoadKeysOptions {
  readonly masterKey: string;
  readonly clock: Clock;
  readonly anonKeyOverride: string | null;
  readonly serviceRoleKeyOverride: string | null;
}

export interface VerifyingKey {
  readonly kid: string;
  readonly purpose: SigningPurpose;
  readonly status: Exclude<SigningStatus, "revoked">;
  readonly algorithm: TokenAlgorithm;
  readonly key: KeyObject;
  /** The public key; null when the key is a secret. */
  readonly jwk: JWK | null;
}

export interface CurrentSigningKey {
  readonly kid: string;
  readonly algorithm: TokenAlgorithm;
  readonly privateKey: KeyObject;
}

interface AcceptedApiKey {
  readonly role: KeyRole;
  readonly token: string;
  /** Set while a replaced key is still accepted. */
  readonly revokedAt: Date | null;
}

export interface LoadedKeys {
  readonly anonKey: string;
  readonly serviceRoleKey: string;
  /** Every accepted key, including the two above. */
  readonly apiKeys: readonly AcceptedApiKey[];
  /** All keys that verify tokens, of both purposes. */
  readonly signingKeys: readonly VerifyingKey[];
  /** The key that signs new access tokens. */
  readonly currentSigningKey: CurrentSigningKey;
}

export async function loadKeys(client: ClientBase, options: LoadKeysOptions): Promise<LoadedKeys> {
  const { masterKey, clock, anonKeyOverride, serviceRoleKeyOverride } = options;
  const signingRows = [
    ...(await selectSigningKeys(client, "access_token")),
    ...(await selectSigningKeys(client, "role_key")),
  ];
  const current = signingRows.find((row) => row.purpose === "access_token" && row.status === "current");
  if (current === undefined) throw new Error("this database has no signing key; run the migrate command");
  const privateKey = openSigningKey(current, masterKey);

  const stored = (await selectApiKeys(client, clock.now())).map((row) => openApiKey(row, masterKey));
  const anonKey = anonKeyOverride ?? getCurrent(stored, "anon");
  const serviceRoleKey = serviceRoleKeyOverride ?? getCurrent(stored, "service_role");
  const overrides: AcceptedApiKey[] = [];
  if (anonKeyOverride !== null) overrides.push({ role: "anon", token: anonKeyOverride, revokedAt: null });
  if (serviceRoleKeyOverride !== null) {
    overrides.push({ role: "service_role", token: serviceRoleKeyOverride, revokedAt: null });
  }

  return {
    anonKey,
    serviceRoleKey,
    apiKeys: [...overrides, ...stored],
    signingKeys: signingRows.flatMap((row) => {
      const { kid, purpose, status, algorithm, public_jwk: jwk } = row;
      if (status === "revoked") return [];
      return [{ kid, purpose, status, algorithm, key: openVerifyingKey(row, masterKey), jwk }];
    }),
    currentSigningKey: { kid: current.kid, algorithm: current.algorithm, privateKey },
  };
}

function openApiKey(row: ApiKeyRow, masterKey: string): AcceptedApiKey {
  const token = openStoredKey(masterKey, row.token_wrapped, apiKeyContext(row.id, row.role)).toString("utf8");
  return { role: row.role, token, revokedAt: row.revoked_at };
}

function getCurrent(keys: readonly AcceptedApiKey[], role: KeyRole): string {
  const key = keys.find((candidate) => candidate.role === role && candidate.revokedAt === null);
  if (key === undefined) throw new Error(`this database has no ${role} key; run the migrate command`);
  return key.token;
}
