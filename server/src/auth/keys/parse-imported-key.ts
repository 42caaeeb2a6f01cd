import { createPrivateKey, createPublicKey, type JsonWebKeyInput, type KeyObject, randomUUID } from "node:crypto";
import { calculateJwkThumbprint, type JWK } from "jose";
import type { TokenAlgorithm } from "./stored-keys.ts";

const SECRET_MIN_BYTES = 32;
const RSA_MIN_BITS = 2048;

export class KeyImportError extends Error {
  override readonly name = "KeyImportError";
}

export interface KeyFile {
  readonly algorithm: TokenAlgorithm;
  /** A JWK, a PEM, or for HS256 the secret itself. */
  readonly text: string;
  /** The key id of existing tokens, when the file does not contain it. */
  readonly kid: string | null;
}

interface ImportedKey {
  readonly kid: string;
  readonly algorithm: TokenAlgorithm;
  readonly publicJwk: JWK | null;
  /** The secret, or the private key as PKCS #8; null when only the public key was given. */
  readonly plain: Buffer | null;
}

export async function parseImportedKey({ algorithm, text, kid: givenKid }: KeyFile): Promise<ImportedKey> {
  const jwk = parseJwk(text);
  if (jwk?.alg !== undefined && jwk.alg !== algorithm) {
    throw new KeyImportError(`The key is for ${jwk.alg}, not for ${algorithm}.`);
  }
  const kid = givenKid ?? jwk?.kid ?? null;
  if (kid !== null && (typeof kid !== "string" || !/^[\x21-\x7e]{1,256}$/.test(kid))) {
    throw new KeyImportError("The id of a key is 1 to 256 printable ASCII characters without spaces.");
  }
  if (algorithm === "HS256") {
    // The id must not be derived from the secret: every token contains it.
    return { kid: kid ?? randomUUID(), algorithm, publicJwk: null, plain: parseSecret(text, jwk) };
  }

  const key = jwk === null ? openPem(text) : openJwk(jwk);
  checkKind(key, algorithm);
  const isPrivate = key.type === "private";
  // Keeps only the public members: the file can contain more than may be published.
  const { kty, crv, x, y, n, e } = (isPrivate ? createPublicKey(key) : key).export({ format: "jwk" });
  const bare = (algorithm === "ES256" ? { kty, crv, x, y } : { kty, n, e }) as JWK;
  const id = kid ?? (await calculateJwkThumbprint(bare, "sha256"));
  return {
    kid: id,
    algorithm,
    publicJwk: { ...bare, kid: id, alg: algorithm, use: "sig", key_ops: ["verify"] },
    plain: isPrivate ? key.export({ format: "der", type: "pkcs8" }) : null,
  };
}

function parseJwk(text: string): JWK | null {
  if (!text.trimStart().startsWith("{")) return null;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && "kty" in value ? (value as JWK) : null;
  } catch {
    return null;
  }
}

function parseSecret(text: string, jwk: JWK | null): Buffer {
  if (jwk !== null && (jwk.kty !== "oct" || typeof jwk.k !== "string")) {
    throw new KeyImportError("An HS256 key is a secret: a JWK of kind oct, or a file that holds the secret alone.");
  }
  if (text.includes("-----BEGIN ")) {
    throw new KeyImportError("This is a PEM file. With HS256 anybody who has a public key could sign tokens with it.");
  }
  // Editors end the file with a line break that is not part of the secret.
  const secret =
    typeof jwk?.k === "string" ? Buffer.from(jwk.k, "base64url") : Buffer.from(text.replace(/\r?\n$/, ""), "utf8");
  if (secret.length < SECRET_MIN_BYTES) {
    throw new KeyImportError(`An HS256 secret has at least ${SECRET_MIN_BYTES} bytes; this one has ${secret.length}.`);
  }
  return secret;
}

function openJwk(jwk: JWK): KeyObject {
  const input = { key: jwk, format: "jwk" } as JsonWebKeyInput;
  try {
    return jwk.d === undefined ? createPublicKey(input) : createPrivateKey(input);
  } catch (error) {
    throw new KeyImportError("The JWK is not a key that can be read.", { cause: error });
  }
}

function openPem(text: string): KeyObject {
  const isPrivate = /-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----/.test(text);
  if (text.includes("ENCRYPTED")) throw new KeyImportError("The key is encrypted. Decrypt it first (openssl pkey).");
  try {
    return isPrivate ? createPrivateKey(text) : createPublicKey(text);
  } catch (error) {
    throw new KeyImportError("The file holds neither a JWK nor a PEM key.", { cause: error });
  }
}

function checkKind({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject, algorithm: "ES256" | "RS256"): void {
  if (algorithm === "ES256") {
    if (asymmetricKeyType === "ec" && asymmetricKeyDetails?.namedCurve === "prime256v1") return;
    throw new KeyImportError("An ES256 key is an elliptic curve key on P-256.");
  }
  if (asymmetricKeyType !== "rsa") throw new KeyImportError("An RS256 key is an RSA key.");
  if ((asymmetricKeyDetails?.modulusLength ?? 0) < RSA_MIN_BITS) {
    throw new KeyImportError(`An RS256 key has at least ${RSA_MIN_BITS} bits.`);
  }
}
