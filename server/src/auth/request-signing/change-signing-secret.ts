import { inTransaction } from "../../db/index.ts";
import { AppError } from "../../errors/index.ts";
import type { AuthContext } from "../auth-context.ts";
import { makeSigningSecret } from "./signing-secret.ts";
import { deleteSigningSecret, selectSigningState, upsertSigningSecret } from "./sql/signing-secrets.ts";

type SigningContext = Pick<AuthContext, "pool" | "masterKey">;

/** The secret before it, if there was one, signs no more. */
export async function regenerateSigningSecret({ pool, masterKey }: SigningContext, userId: string): Promise<string> {
  const { secret, wrapped } = makeSigningSecret(userId, masterKey);
  return inTransaction(pool, async (client) => {
    if ((await selectSigningState(client, userId)) === null) throw noSuchUser();
    await upsertSigningSecret(client, userId, wrapped);
    return secret;
  });
}

/** Signatures of the user are passed over from then on. Not while the user demands them: no request could meet that. */
export async function removeSigningSecret({ pool }: SigningContext, userId: string): Promise<void> {
  await inTransaction(pool, async (client) => {
    const state = await selectSigningState(client, userId);
    if (state === null) throw noSuchUser();
    if (state.is_required) {
      throw new AppError("VALIDATION_ERROR", "The secret is needed while signatures are required", {
        details: { action: "turn user_settings.require_request_signature off first" },
      });
    }
    await deleteSigningSecret(client, userId);
  });
}

function noSuchUser(): AppError {
  return new AppError("NOT_FOUND", "There is no such user");
}
