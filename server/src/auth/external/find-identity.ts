import { authError } from "../auth-error.ts";
import { selectIdentity } from "../sql/identities.ts";
import type { Queryable } from "../sql/query.ts";
import type { IdentityRow } from "../sql/user-row.ts";
import type { ExternalProfile } from "./profile.ts";

/** Throws when the identity belongs to an issuer that the provider had before: the same subject can be somebody else there. */
export async function findIdentity(
  client: Queryable,
  provider: string,
  { subject, issuer }: ExternalProfile,
): Promise<IdentityRow | null> {
  const identity = await selectIdentity(client, provider, subject);
  if (identity === null || identity.issuer === null || identity.issuer === issuer) return identity;
  throw authError("bad_oauth_callback", `The provider ${provider} had another issuer: give this one a name of its own`);
}
