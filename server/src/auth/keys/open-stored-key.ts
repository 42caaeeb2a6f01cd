import { deriveKey, UnwrapError, unwrapSecret, wrapSecret } from "../../crypto/index.ts";
import type { KeyRole } from "./stored-keys.ts";

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
