import { generateKeyPair, type KeyObject } from "node:crypto";
import { promisify } from "node:util";
import { calculateJwkThumbprint, type JWK } from "jose";
import { signingKeyContext, wrapStoredKey } from "./open-stored-key.ts";
import { SIGNING_ALGORITHM, type SigningKeyRow, type SigningPurpose } from "./stored-keys.ts";

const generateKeyPairAsync = promisify(generateKeyPair);

export interface NewSigningKey {
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
