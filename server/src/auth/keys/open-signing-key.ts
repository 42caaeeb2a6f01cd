import { createPrivateKey, createPublicKey, createSecretKey, type KeyObject } from "node:crypto";
import { openStoredKey, signingKeyContext } from "./open-stored-key.ts";
import type { SigningKeyRow } from "./stored-keys.ts";

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
