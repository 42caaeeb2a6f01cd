import { randomBytes } from "node:crypto";

const MASTER_KEY_BYTES = 32;

export function newMasterKey(): string {
  return randomBytes(MASTER_KEY_BYTES).toString("base64url");
}
