import { hkdfSync } from "node:crypto";

const KEY_BYTES = 32;
// Never changes: another salt would change every stored secret and every database password.
const SALT = "swarmbase/v1";

/** Keys of different purposes are independent: one reveals nothing about another. */
export function deriveKey(masterKey: string, purpose: string): Buffer {
  if (masterKey === "") throw new RangeError("the master key is empty");
  if (purpose === "") throw new RangeError("the purpose of a derived key is empty");
  return Buffer.from(hkdfSync("sha256", masterKey, SALT, purpose, KEY_BYTES));
}

/** The password of a database role. Every node with the same master key derives the same one, so none is stored. */
export function derivePassword(masterKey: string, role: string): string {
  return deriveKey(masterKey, `database-password:${role}`).toString("base64url");
}
