import type { Client } from "pg";
import type { Clock } from "../../time/index.ts";
import { hasSigningKey, insertSigningKey, retireSigningKeys } from "./sql/signing-keys.ts";
import { openCurrentSigningKey } from "./ensure-keys.ts";
import { type KeyFile, KeyImportError, parseImportedKey } from "./parse-imported-key.ts";
import { inKeyTransaction } from "./rotate-keys.ts";
import { signingKeyContext, wrapStoredKey } from "./stored-keys.ts";

interface ImportSigningKeyOptions {
  readonly masterKey: string;
  readonly clock: Clock;
  readonly file: KeyFile;
  /** Whether the key signs from now on. Otherwise it only verifies existing tokens, until it is revoked. */
  readonly isCurrent: boolean;
}

/** Imports a signing key of another service, so that its tokens and users stay valid here. */
export async function importSigningKey(client: Client, options: ImportSigningKeyOptions): Promise<{ kid: string }> {
  const { masterKey, clock, file, isCurrent } = options;
  const { kid, algorithm, publicJwk, plain } = await parseImportedKey(file);
  if (isCurrent && plain === null) throw new KeyImportError("Only a private key can sign; this is the public half.");

  return inKeyTransaction(client, async () => {
    await openCurrentSigningKey(client, "access_token", masterKey);
    if (await hasSigningKey(client, kid)) throw new KeyImportError(`A key with the id ${kid} already exists.`);
    const now = clock.now();
    if (isCurrent) {
      await retireSigningKeys(client, { purpose: "access_token", status: "previous", retiredAt: now });
    }
    await insertSigningKey(
      client,
      {
        kid,
        purpose: "access_token",
        algorithm,
        public_jwk: publicJwk,
        private_key_wrapped: plain === null ? null : wrapStoredKey(masterKey, plain, signingKeyContext(kid)),
        status: isCurrent ? "current" : "previous",
      },
      now,
    );
    return { kid };
  });
}
