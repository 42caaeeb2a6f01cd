import type { AuthContext } from "../auth-context.ts";
import type { Mail } from "../mail/mail.ts";
import { siteUrlOf } from "../one-time/links.ts";
import type { ClaimedMail } from "../sql/mail-outbox.ts";
import { findOpenInvitation } from "../sql/swarm-invitations.ts";
import { type DisabledWebhook, selectDisabledWebhooks } from "../sql/webhooks.ts";

type ComposeContext = Pick<AuthContext, "pool" | "baseUrl" | "settings">;

interface Addressed extends ClaimedMail {
  readonly to: string;
}

/** Returns the current content of the mail, or null when its reason no longer exists. */
export type ComposeMail = (context: ComposeContext, claimed: Addressed) => Promise<Omit<Mail, "outbox"> | null>;

/** The link identifies the swarm and grants nothing: only the signed-in recipient sees the invitation. */
const composeSwarmInvitation: ComposeMail = async (context, { to, userId, data }) => {
  const swarmId = String(data["swarm_id"]);
  const invitation = await findOpenInvitation(context.pool, { swarmId, userId, email: to });
  if (invitation === null) return null;
  const siteUrl = siteUrlOf(context);
  const { swarmName, inviterName } = invitation;
  return {
    to,
    kind: "swarm_invitation",
    values: {
      link: `${siteUrl.replace(/\/+$/, "")}/invitations/${swarmId}`,
      siteUrl,
      swarmName,
      ...(inviterName !== null && { inviterName }),
    },
  };
};

const composeWebhookDisabled: ComposeMail = async (context, { to, data }) => {
  const webhooks = await selectDisabledWebhooks(context.pool, Object.keys(data["webhooks"] ?? {}));
  if (webhooks.length === 0) return null;
  const link = findLink(context, webhooks);
  const switchedOff = webhooks.map(({ name, reason, at }) => ({ name, reason, at }));
  return {
    to,
    kind: "webhook_disabled",
    values: { ...(link !== null && { link }), siteUrl: siteUrlOf(context), switchedOff },
  };
};

/** The webhook's page in the console, or the operator's application where no console is served. */
function findLink({ settings, baseUrl }: ComposeContext, webhooks: readonly DisabledWebhook[]): string | null {
  if (!settings.console) return settings.siteUrl;
  const [only] = webhooks.length === 1 ? webhooks : [];
  return `${baseUrl.replace(/\/+$/, "")}/webhooks${only === undefined ? "" : `/${only.id}`}`;
}

/** By the column `kind`. A kind that is not listed stays in the outbox. */
export const MAIL_COMPOSERS: Readonly<Record<string, ComposeMail>> = {
  swarm_invitation: composeSwarmInvitation,
  webhook_disabled: composeWebhookDisabled,
};
