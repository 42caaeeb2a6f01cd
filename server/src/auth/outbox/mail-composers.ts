import type { ComposeMail } from "./compose-mail.ts";
import { composeSwarmInvitation } from "./compose-swarm-invitation.ts";
import { composeWebhookDisabled } from "./compose-webhook-disabled.ts";

/** By kind, as in the column `kind`. A kind that is not here stays in the outbox. */
export const MAIL_COMPOSERS: Readonly<Record<string, ComposeMail>> = {
  swarm_invitation: composeSwarmInvitation,
  webhook_disabled: composeWebhookDisabled,
};
