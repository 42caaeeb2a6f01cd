import type { AuthContext } from "../auth-context.ts";
import type { Queryable } from "../../db/index.ts";
import type { LockedPrincipal } from "../mfa/lock-principal.ts";
import { applyEmailChange } from "../one-time/confirm-email.ts";
import { type LinkOptions, storeMailJob } from "../one-time/mail-jobs.ts";
import { claimMailSlot } from "../one-time/claim-mail-slot.ts";
import { beginEmailChange, needsBothConfirmations } from "../one-time/send-mail-flow.ts";
import { requireClientProof } from "../sessions/recent-proof.ts";
import { findUserByEmail } from "../sql/users.ts";
import type { UserRow } from "../sql/user-row.ts";
import { isAutoconfirmed } from "../users/account-rules.ts";
import { translateUniqueViolation } from "../users/create-user.ts";

export interface EmailChange {
  /** Normalized. */
  readonly email: string;
  readonly options: LinkOptions;
  /** The client's. */
  readonly address: string;
}

/** Also sets the first address of an anonymous user, which makes the account permanent. */
export async function changeEmail(
  context: AuthContext,
  client: Queryable,
  { user, session }: LockedPrincipal,
  { email, options, address }: EmailChange,
): Promise<UserRow> {
  // Otherwise the owner agrees at the current address.
  if (isAutoconfirmed(context.settings) || !needsBothConfirmations(context, user)) {
    requireClientProof(context, { user, session }, "Email update");
  }
  if (!isAutoconfirmed(context.settings)) {
    // Whether the address is taken is looked up after the response, which must not reveal it.
    await claimMailSlot(context, client, { address: `user:${user.id}`, slot: "email_change" });
    await claimMailSlot(context, client, { address: email, slot: "email_change" });
    await storeMailJob(client, { address: email, flow: { flow: "email_change", userId: user.id }, options });
    return beginEmailChange(context, client, { user, newEmail: email });
  }
  if ((await findUserByEmail(client, email)) !== null) {
    await claimMailSlot(context, client, { address: email, slot: "confirmation" });
    await storeMailJob(client, { address: email, flow: { flow: "address_taken" }, options });
    return user;
  }
  const changed = { user, newEmail: email, isProven: false, sessionId: session.id, address };
  return applyEmailChange(context, client, changed).catch((error: unknown) => {
    throw translateUniqueViolation(error);
  });
}
