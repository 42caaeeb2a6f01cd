import { randomBytes } from "node:crypto";
import { deriveKey, unwrapSecret, wrapSecret } from "../../crypto/index.ts";
import { inTransaction } from "../../db/index.ts";
import { AppError } from "../../errors/index.ts";
import { recordChange } from "../users/record-change.ts";
import type { AuthContext } from "../auth-context.ts";
import { deleteSigningSecret, selectSigningState, upsertSigningSecret } from "../sql/request-signing-secrets.ts";
import { findUserById } from "../sql/users.ts";

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

type SigningContext = Pick<AuthContext, "pool" | "masterKey" | "clock" | "settings">;

interface SecretChange {
  readonly userId: string;
  /** Null for the service role. */
  readonly sessionId: string | null;
  readonly address: string;
}

/** Replaces the previous secret. */
export async function regenerateSigningSecret(context: SigningContext, change: SecretChange): Promise<string> {
  const { userId } = change;
  const { secret, wrapped } = makeSigningSecret(userId, context.masterKey);
  return inTransaction(context.pool, async (client) => {
    const user = await findUserById(client, userId);
    if (user === null) throw noSuchUser();
    await upsertSigningSecret(client, userId, wrapped);
    await recordChange(context, client, { action: "signing_secret_created", user, ...change });
    return secret;
  });
}

/** Throws while the user requires signatures, because no request could be signed afterwards. */
export async function removeSigningSecret(context: SigningContext, change: SecretChange): Promise<void> {
  const { userId } = change;
  await inTransaction(context.pool, async (client) => {
    const user = await findUserById(client, userId);
    const state = await selectSigningState(client, userId);
    if (user === null || state === null) throw noSuchUser();
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
    await recordChange(context, client, { action: "signing_secret_removed", user, ...change });
  });
}

function noSuchUser(): AppError {
  return new AppError("NOT_FOUND", "User not found");
}
