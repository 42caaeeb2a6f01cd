import { randomUUID } from "node:crypto";
import type { AuthContext } from "../auth-context.ts";
import type { Queryable } from "../../db/index.ts";
import { insertFlowState, deleteFlowStatesOfUser } from "../sql/flow-states.ts";
import { deleteOneTimesOfUser, type OneTimeKind, replaceOneTime } from "../sql/one-time-tokens.ts";
import type { UserChanges } from "../sql/users.ts";
import type { UserRow } from "../sql/user-row.ts";
import { linkTypeOf, methodOf } from "./one-time-kind.ts";
import { buildTokenHash, hashTokenHash, newCode } from "./one-time-secret.ts";
import type { PkceChallenge } from "./pkce.ts";

interface IssueOneTime {
  readonly user: Pick<UserRow, "id">;
  readonly kind: OneTimeKind;
  /** The address of the recipient, which must be sent with the code. */
  readonly relatesTo: string;
  readonly pkce?: PkceChallenge | null;
  readonly redirectTo?: string;
  /** Whether the service role gets the link instead of a mail. */
  readonly isByServiceRole?: boolean;
}

interface IssuedOneTime {
  readonly code: string;
  /** The token of the link; equivalent to address and code. */
  readonly tokenHash: string;
}

/** Replaces an earlier token of the same kind. Only hashes are stored. */
export async function issueOneTime(
  client: Queryable,
  context: Pick<AuthContext, "clock" | "masterKey" | "settings">,
  { user, kind, relatesTo, pkce = null, redirectTo, isByServiceRole = false }: IssueOneTime,
): Promise<IssuedOneTime> {
  const { authOtpTtlSeconds, authOtpLength } = context.settings;
  const expiresAt = new Date(context.clock.now().getTime() + authOtpTtlSeconds * 1000);
  const flowStateId = pkce === null ? null : randomUUID();
  if (pkce !== null && flowStateId !== null) {
    await insertFlowState(client, {
      id: flowStateId,
      user_id: user.id,
      authentication_method: kind === "reauthentication" ? "otp" : methodOf(linkTypeOf(kind)),
      code_challenge: pkce.challenge,
      code_challenge_method: pkce.method,
      redirect_to: redirectTo ?? null,
      expires_at: expiresAt,
      provider_answer_wrapped: null,
    });
  }
  const id = randomUUID();
  const code = newCode(authOtpLength);
  const tokenHash = buildTokenHash(context.masterKey, { id, kind, isPkce: pkce !== null }, code);
  await replaceOneTime(client, {
    id,
    user_id: user.id,
    kind,
    token_hash: hashTokenHash(tokenHash),
    relates_to: relatesTo,
    flow_state_id: flowStateId,
    expires_at: expiresAt,
    is_by_service_role: isByServiceRole,
  });
  return { code, tokenHash };
}

/** Discards a pending change of address, whose mail could otherwise be requested again. */
export const NO_EMAIL_CHANGE = { new_email: null, email_change_confirmations: 0 } as const satisfies UserChanges;

/** Deletes codes, links and PKCE flows that somebody else can have started before the account was secured. */
export async function deletePendingFlows(client: Queryable, userId: string): Promise<void> {
  await deleteFlowStatesOfUser(client, userId);
  await deleteOneTimesOfUser(client, userId);
}
