import { createHmac, hash, randomBytes } from "node:crypto";
import { deriveKey } from "../../crypto/index.ts";

const SECRET_BYTES = 32;

export function newInvitationSecret(): string {
  return randomBytes(SECRET_BYTES).toString("base64url");
}

/** Every attempt to send a mail has the same link, whichever of them arrives. */
export function mailedInvitationSecret(masterKey: string, mailId: string): string {
  return createHmac("sha256", deriveKey(masterKey, "invitation-mails")).update(mailId).digest("base64url");
}

/** The stored hash. A secret has 256 bits of entropy, so a plain hash suffices. */
export function hashInvitationSecret(secret: string): Buffer {
  return hash("sha256", secret, "buffer");
}

/** The secret is in the fragment, which browsers send to no server. */
export function buildInvitationLink(siteUrl: string, swarmId: string, secret: string | null): string {
  const page = `${siteUrl.replace(/\/+$/, "")}/invitations/${swarmId}`;
  return secret === null ? page : `${page}#secret=${secret}`;
}
