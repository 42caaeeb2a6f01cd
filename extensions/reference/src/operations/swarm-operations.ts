import { AT, ID } from "./example-values.ts";
import { type OperationTexts, refer } from "./operation-text.ts";

const ANSWERS = {
  create_link: refer("InvitationLink"),
  find: refer("FoundInvitation"),
  accept: refer("AcceptedInvitation"),
  decline: refer("DeclinedInvitation"),
};
const SECRET = "bBvcUOhNYjLzoiJ7bYHo0a1uT0XlHHsYc1Dc0V9cG9Q";

export const SWARM_OPERATIONS: OperationTexts = {
  "POST /functions/v1/invitations": {
    id: "invitations",
    summary: "Create the link of an invitation, and answer an invitation with it",
    description:
      "An invitation by e-mail address is accepted with the secret of its link, by an account with that address; an account whose address is proven needs no secret. An API key cannot call this function.",
    body: {
      forms: ["create_link", "find", "accept", "decline"],
      fields: {
        invitation_id: "an open invitation by e-mail address, of a swarm that you own or administrate",
        secret: "the part of the link after `#secret=`",
      },
      examples: {
        create_link: { action: "create_link", invitation_id: ID.membership },
        accept: { action: "accept", secret: SECRET },
      },
    },
    answers: {
      200: {
        description: "The link, which is not shown again and replaces an earlier one; the invitation; or the answer",
        schema: { anyOf: Object.values(ANSWERS) },
        example: {
          link: `https://app.example.com/invitations/${ID.swarm}#secret=${SECRET}`,
          secret: SECRET,
          expires_at: AT,
        },
      },
    },
    answersByAction: ANSWERS,
    errors: ["VALIDATION_ERROR", "FORBIDDEN", "INVITATION_NOT_FOUND"],
    javascript: `const { data } = await supabase.functions.invoke("invitations", {
  body: { action: "create_link", invitation_id },
});`,
  },
};
