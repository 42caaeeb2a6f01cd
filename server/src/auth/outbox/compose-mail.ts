import * as z from "zod";
import type { AuthContext } from "../auth-context.ts";
import { buildInvitationLink, hashInvitationSecret, mailedInvitationSecret } from "../invitations/invitation-secret.ts";
import { ACCOUNT_ACTIONS, type Mail } from "../mail/mail.ts";
import { siteUrlOf } from "../one-time/links.ts";
import type { ClaimedMail } from "../sql/mail-outbox.ts";
import { findOpenInvitation, storeMailSecret } from "../sql/swarm-invitations.ts";
import { type DisabledWebhook, selectDisabledWebhooks } from "../sql/webhooks.ts";

export type ComposeContext = Pick<AuthContext, "pool" | "baseUrl" | "clock" | "hooks" | "masterKey" | "settings">;

interface Addressed extends ClaimedMail {
  readonly to: string;
}

/** Returns the current content of the mail, or of several; none when its reason no longer exists. */
export type ComposeMail = (context: ComposeContext, claimed: Addressed) => Promise<readonly Omit<Mail, "outbox">[]>;

/** An invitation by address has a secret in its link; one of an account needs none, because only that account accepts it. */
export const composeSwarmInvitation: ComposeMail = async (context, { id: mailId, to, userId, data }) => {
  const swarmId = String(data["swarm_id"]);
  const invitation = await findOpenInvitation(context.pool, { swarmId, userId, email: to });
  if (invitation === null) return [];
  const siteUrl = siteUrlOf(context);
  const { swarmName, inviterName, expiresAt } = invitation;
  const secret = userId === null ? mailedInvitationSecret(context.masterKey, mailId) : null;
  if (secret !== null) await storeMailSecret(context.pool, invitation.id, hashInvitationSecret(secret));
  const link = buildInvitationLink(siteUrl, swarmId, secret);
  const values = {
    link,
    siteUrl,
    swarmName,
    ...(inviterName !== null && { inviterName }),
    ...(expiresAt !== null && { expiresAt }),
  };
  return [{ to, kind: "swarm_invitation", values }];
};

const CHANGES = z.object({ changes: z.array(z.object({ action: z.enum(ACCOUNT_ACTIONS), at: z.coerce.date() })) });

export const composeAccountChanged: ComposeMail = async (context, { to, data }) => {
  const { changes } = CHANGES.parse(data);
  return [{ to, kind: "account_changed", values: { siteUrl: siteUrlOf(context), changes } }];
};

export const composeWebhookDisabled: ComposeMail = async (context, { to, data }) => {
  const webhooks = await selectDisabledWebhooks(context.pool, Object.keys(data["webhooks"] ?? {}));
  if (webhooks.length === 0) return [];
  const link = findLink(context, webhooks);
  const switchedOff = webhooks.map(({ name, reason, at }) => ({ name, reason, at }));
  const values = { ...(link !== null && { link }), siteUrl: siteUrlOf(context), switchedOff };
  return [{ to, kind: "webhook_disabled", values }];
};

/** The webhook's page in the console, or the operator's application where no console is served. */
function findLink({ settings, baseUrl }: ComposeContext, webhooks: readonly DisabledWebhook[]): string | null {
  if (!settings.consoleEnabled) return settings.siteUrl;
  const [only] = webhooks.length === 1 ? webhooks : [];
  return `${baseUrl.replace(/\/+$/, "")}/webhooks${only === undefined ? "" : `/${only.id}`}`;
}
