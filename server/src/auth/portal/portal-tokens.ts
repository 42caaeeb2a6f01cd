import { createHmac, timingSafeEqual } from "node:crypto";
import { deriveKey } from "../../crypto/index.ts";
import type { UserPrincipal } from "../../db/index.ts";
import type { Clock } from "../../time/index.ts";
import { tokenError } from "../tokens/token-error.ts";

/*
 * portal_ | base64url of: user id (16 bytes) | expiry in Unix seconds (6) | HMAC-SHA256 of both (32)
 *
 * It is no JWT and no public key verifies it: an app that verifies access tokens must not take it for the user's.
 */
const PREFIX = "portal_";
const USER_ID_BYTES = 16;
const EXPIRY_BYTES = 6;
const SIGNED_BYTES = USER_ID_BYTES + EXPIRY_BYTES;
const FORM = /^portal_[\w-]{72}$/;
const LIFETIME_SECONDS = 900;
/** The rules of API keys apply; there is no key with this id. */
const NO_KEY_ID = "00000000-0000-0000-0000-000000000000";

interface PortalToken {
  readonly token: string;
  readonly expiresAt: Date;
}

/** Tokens of portals. Nothing is stored: every node has the key, and checks with each request that the user may act. */
export class PortalTokens {
  readonly #key: Buffer;
  readonly #clock: Clock;

  constructor({ masterKey, clock }: { readonly masterKey: string; readonly clock: Clock }) {
    this.#key = deriveKey(masterKey, "portal-tokens");
    this.#clock = clock;
  }

  make(userId: string): PortalToken {
    const expirySeconds = Math.floor(this.#clock.now().getTime() / 1000) + LIFETIME_SECONDS;
    const signed = Buffer.alloc(SIGNED_BYTES);
    signed.write(userId.replaceAll("-", ""), "hex");
    signed.writeUIntBE(expirySeconds, USER_ID_BYTES, EXPIRY_BYTES);
    const token = PREFIX + Buffer.concat([signed, this.#sign(signed)]).toString("base64url");
    return { token, expiresAt: new Date(expirySeconds * 1000) };
  }

  /** Throws 401 unless the token is one of this service and has not expired. */
  verify(token: string): UserPrincipal {
    if (!FORM.test(token)) throw tokenError("malformed");
    const bytes = Buffer.from(token.slice(PREFIX.length), "base64url");
    const signed = bytes.subarray(0, SIGNED_BYTES);
    if (!timingSafeEqual(bytes.subarray(SIGNED_BYTES), this.#sign(signed))) throw tokenError("malformed");
    const expirySeconds = signed.readUIntBE(USER_ID_BYTES, EXPIRY_BYTES);
    if (expirySeconds * 1000 <= this.#clock.now().getTime()) throw tokenError("expired");
    const hex = signed.toString("hex", 0, USER_ID_BYTES);
    return toPrincipal(hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-"), expirySeconds);
  }

  #sign(signed: Buffer): Buffer {
    return createHmac("sha256", this.#key).update(signed).digest();
  }
}

export function isPortalToken(bearer: string): boolean {
  return bearer.startsWith(PREFIX);
}

function toPrincipal(userId: string, expirySeconds: number): UserPrincipal {
  const scopes = ["portal"] as const;
  return {
    role: "authenticated",
    userId,
    scopes,
    resources: null,
    claims: { sub: userId, role: "authenticated", exp: expirySeconds, api_key_id: NO_KEY_ID, scopes, resources: null },
    // The app has authenticated the customer, so a second factor of the account is not asked for.
    session: { userId, sessionId: null, inactivitySeconds: 0, isAal2Required: false },
  };
}
