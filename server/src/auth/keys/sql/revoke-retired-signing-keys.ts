import type { ClientBase } from "pg";
import type { SigningPurpose } from "../stored-keys.ts";

export async function revokeRetiredSigningKeys(
  client: ClientBase,
  { purpose, retiredBefore }: { readonly purpose: SigningPurpose; readonly retiredBefore: Date },
): Promise<void> {
  await client.query(
    `update private.signing_keys
        set status = 'revoked'
      where purpose = $1
        and status = 'previous'
        and retired_at < $2`,
    [purpose, retiredBefore],
  );
}
