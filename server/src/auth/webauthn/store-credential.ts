import type { Queryable } from "../sql/query.ts";
import { type CredentialRow, insertCredential, type NewCredential } from "../sql/webauthn-credentials.ts";
import { translateUniqueViolation } from "../users/create-user.ts";

/** Throws `webauthn_credential_exists` for one that is registered, which can be that of another user. */
export function storeCredential(client: Queryable, credential: NewCredential): Promise<CredentialRow> {
  return insertCredential(client, credential).catch((error: unknown) => {
    throw translateUniqueViolation(error);
  });
}
