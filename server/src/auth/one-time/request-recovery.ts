import * as z from "zod";
import { parseEmail } from "../accounts/email-address.ts";
import { parseBody } from "../accounts/parse-body.ts";
import type { AuthAnswer, AuthCall } from "../call.ts";
import type { AuthContext } from "../auth-context.ts";
import { findUserByEmail, lockUser } from "../users/sql/select-user.ts";
import { postLink } from "./post-mail.ts";
import { requestMail } from "./request-mail.ts";

export const RECOVERY_BODY = z.object({ email: z.string().default("") });

/** POST /recover: a way back in for somebody who has lost the password. */
export async function requestRecovery(context: AuthContext, call: AuthCall): Promise<AuthAnswer> {
  const email = parseEmail(parseBody(RECOVERY_BODY, call).email);
  return requestMail(context, call, {
    address: email,
    slot: "recovery",
    post: async (client) => {
      const known = await findUserByEmail(client, email);
      const user = known === null ? null : await lockUser(client, known.id);
      if (user === null) return;
      await postLink(context, client, {
        user,
        call,
        kind: "recovery",
        to: email,
        redirectTo: call.query["redirect_to"],
      });
    },
  });
}
