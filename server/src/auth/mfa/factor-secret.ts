import { deriveKey, unwrapSecret, wrapSecret } from "../../crypto/index.ts";
import type { FactorRow } from "../users/user-row.ts";

const PURPOSE = "mfa-secrets";

export function wrapFactorSecret(masterKey: string, factorId: string, secret: Buffer): Buffer {
  return wrapSecret(deriveKey(masterKey, PURPOSE), secret, contextOf(factorId));
}

export function openFactorSecret(masterKey: string, factor: Pick<FactorRow, "id" | "secret_wrapped">): Buffer {
  return unwrapSecret(deriveKey(masterKey, PURPOSE), factor.secret_wrapped, contextOf(factor.id));
}

/** Bound to its factor: a secret that is copied to another row does not open. */
function contextOf(factorId: string): string {
  return `mfa-factor:${factorId}`;
}
