import { generateKeyPair, type KeyObject, createHash, randomUUID } from "node:crypto";
import { promisify } from "node:util";
import { calculateJwkThumbprint, type JWK, SignJWT } from "jose";
import {
  signingKeyContext,
  wrapStoredKey,
  SIGNING_ALGORITHM,
  type SigningKeyRow,
  type SigningPurpose,
  apiKeyContext,
  type ApiKeyRow,
  type KeyRole,
} from "./stored-keys.ts";

const generateKeyPairAsync = promisify(generateKeyPair);

interface NewSigningKey {
  readonly row: Omit<SigningKeyRow, "status">;
  readonly privateKey: KeyObject;
}

export async function makeSigningKey(purpose: SigningPurpose, masterKey: string): Promise<NewSigningKey> {
  const { publicKey, privateKey } = await generateKeyPairAsync("ec", { namedCurve: "P-256" });
  const { kty, crv, x, y } = publicKey.export({ format: "jwk" });
  const bare = { kty, crv, x, y } as JWK;
  const kid = await calculateJwkThumbprint(bare, "sha256");
  const plain = privateKey.export({ format: "der", type: "pkcs8" });
  return {
    row: {
      kid,
      purpose,
      algorithm: SIGNING_ALGORITHM,
      public_jwk: { ...bare, kid, alg: SIGNING_ALGORITHM, use: "sig", key_ops: ["verify"] },
      private_key_wrapped: wrapStoredKey(masterKey, plain, signingKeyContext(kid)),
    },
    privateKey,
  };
}

const ISSUER = "swarmbase";
const LIFETIME_YEARS = 10;

interface ApiKeyOptions {
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
