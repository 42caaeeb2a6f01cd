import { randomBytes } from "node:crypto";
import { deriveKey, unwrapSecret, wrapSecret } from "../../crypto/index.ts";
import { inTransaction } from "../../db/index.ts";
import { AppError } from "../../errors/index.ts";
import type { AuthContext } from "../auth-context.ts";
import { deleteSigningSecret, selectSigningState, upsertSigningSecret } from "../sql/request-signing-secrets.ts";

const PURPOSE = "request-signing-secrets";
const PREFIX = "sbsig_";
const SECRET_BYTES = 32;

interface NewSigningSecret {
  readonly secret: string;
  readonly wrapped: Buffer;
}

/** Shown to the user once; the database stores it wrapped. */
function makeSigningSecret(userId: string, masterKey: string): NewSigningSecret {
  const secret = PREFIX + randomBytes(SECRET_BYTES).toString("base64url");
  return { secret, wrapped: wrapSecret(deriveKey(masterKey, PURPOSE), Buffer.from(secret), contextOf(userId)) };
}

/** The HMAC key: the bytes of the whole text, including the prefix. */
export function openSigningSecret(wrapped: Buffer, userId: string, masterKey: string): Buffer {
  return unwrapSecret(deriveKey(masterKey, PURPOSE), wrapped, contextOf(userId));
}

function contextOf(userId: string): string {
  return `request-signing-secret:${userId}`;
}

type SigningContext = Pick<AuthContext, "pool" | "masterKey">;

/** Replaces the previous secret. */
export async function regenerateSigningSecret({ pool, masterKey }: SigningContext, userId: string): Promise<string> {
  const { secret, wrapped } = makeSigningSecret(userId, masterKey);
  return inTransaction(pool, async (client) => {
    if ((await selectSigningState(client, userId)) === null) throw noSuchUser();
    await upsertSigningSecret(client, userId, wrapped);
    return secret;
  });
}

/** Throws while the user requires signatures, because no request could be signed afterwards. */
export async function removeSigningSecret({ pool }: SigningContext, userId: string): Promise<void> {
  await inTransaction(pool, async (client) => {
    const state = await selectSigningState(client, userId);
    if (state === null) throw noSuchUser();
    const required = [
      ...(state.requires_body_signature ? ["require_request_signature"] : []),
      ...(state.requires_message_signature ? ["require_message_signature"] : []),
    ];
    if (required.length > 0) {
      throw new AppError("VALIDATION_ERROR", "The secret is needed while signatures are required", {
        details: { action: `turn user_settings.${required.join(" and ")} off first` },
      });
    }
    await deleteSigningSecret(client, userId);
  });
}

function noSuchUser(): AppError {
  return new AppError("NOT_FOUND", "User not found");
}
