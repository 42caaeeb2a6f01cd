import { createHash, type KeyObject, randomUUID } from "node:crypto";
import { SignJWT } from "jose";
import { apiKeyContext, wrapStoredKey } from "./open-stored-key.ts";
import { type ApiKeyRow, type KeyRole, SIGNING_ALGORITHM } from "./stored-keys.ts";

const ISSUER = "swarmbase";
const LIFETIME_YEARS = 10;

export interface ApiKeyOptions {
  readonly role: KeyRole;
  readonly kid: string;
  readonly privateKey: KeyObject;
  readonly masterKey: string;
  readonly now: Date;
}

export async function makeApiKey(options: ApiKeyOptions): Promise<Omit<ApiKeyRow, "revoked_at">> {
  const { role, kid, privateKey, masterKey, now } = options;
  const expires = new Date(now);
  expires.setUTCFullYear(expires.getUTCFullYear() + LIFETIME_YEARS);
  const token = await new SignJWT({ role })
    .setProtectedHeader({ alg: SIGNING_ALGORITHM, typ: "JWT", kid })
    .setIssuer(ISSUER)
    .setIssuedAt(now)
    .setExpirationTime(expires)
    .sign(privateKey);
  const id = randomUUID();
  return {
    id,
    role,
    kid,
    token_wrapped: wrapStoredKey(masterKey, Buffer.from(token, "utf8"), apiKeyContext(id, role)),
    token_hash: createHash("sha256").update(token).digest(),
  };
}
