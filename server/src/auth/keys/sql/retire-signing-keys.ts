import type { ClientBase } from "pg";
import type { SigningPurpose } from "../stored-keys.ts";

export interface RetireSigningKeys {
  readonly purpose: SigningPurpose;
  readonly status: "previous" | "revoked";
  readonly retiredAt: Date;
}

/** "previous" takes the current key only; "revoked" also ends those that were still verifying. */
export async function retireSigningKeys(
  client: ClientBase,
  { purpose, status, retiredAt }: RetireSigningKeys,
): Promise<void> {
  await client.query(
    `update private.signing_keys
        set status = $2,
            retired_at = least(retired_at, $3)
      where purpose = $1
        and (status = 'current' or ($2 = 'revoked' and status = 'previous'))`,
    [purpose, status, retiredAt],
  );
}
