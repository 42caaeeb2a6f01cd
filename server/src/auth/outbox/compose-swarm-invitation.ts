import { siteUrlOf } from "../one-time/redirects.ts";
import type { ComposeMail } from "./compose-mail.ts";
import { findOpenInvitation } from "./sql/open-invitation.ts";

/** The link names the swarm and proves nothing: whoever opens it signs in as the invited person, or sees no invitation. */
export const composeSwarmInvitation: ComposeMail = async (context, { to, userId, data }) => {
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
