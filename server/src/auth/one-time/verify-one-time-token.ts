import * as z from "zod";
import { parseEmail } from "../users/email-address.ts";
import { checkPhoneNumber } from "../users/phone-number.ts";
import type { AuthContext } from "../auth-context.ts";
import { authError } from "../auth-error.ts";
import type { AuthResponse, AuthCall } from "../call.ts";
import { parseAuthBody } from "../parse-call.ts";
import { finishSession, issueSession } from "../sessions/issue-session.ts";
import type { OneTimeRow } from "../sql/one-time-tokens.ts";
import { rejectEvenly } from "./reject-evenly.ts";
import { findOneTimeByCode, findOneTimeByLink, LINK_ERROR_MESSAGE, oneTimeError } from "./find-one-time.ts";
import { kindsOf, HALF_MESSAGE, methodOf, TOKEN_LENGTH, VERIFY_TYPE } from "./one-time-kind.ts";
import { CODE_VERIFIER, requireVerifier } from "./pkce.ts";
import { useOneTime } from "./use-one-time.ts";

export const VERIFY_BODY = z.object({
  type: VERIFY_TYPE,
  email: z.string().default(""),
  phone: z.string().default(""),
  token: z.string().max(TOKEN_LENGTH).default(""),
  token_hash: z.string().max(TOKEN_LENGTH).default(""),
  code_verifier: CODE_VERIFIER,
});

type Presented = z.output<typeof VERIFY_BODY>;

/** POST /verify: exchanges an address with its code, or the token of a link, for a session. */
export async function verifyOneTimeToken(context: AuthContext, call: AuthCall): Promise<AuthResponse> {
  const presented = parseAuthBody(VERIFY_BODY, call);
  const body = await rejectEvenly(async () => {
    const found = await findPresented(context, presented);
    const done = await useOneTime(context, found, call, async (client, used) => {
      if (used === "half") return { msg: HALF_MESSAGE, code: "200" };
      return issueSession(context, client, { user: used.user, method: methodOf(presented.type), call });
    });
    return "msg" in done ? done : finishSession(context, done);
  });
  return { status: 200, body, headers: { "cache-control": "no-store" } };
}

async function findPresented(context: AuthContext, presented: Presented): Promise<OneTimeRow> {
  const kinds = kindsOf(presented.type);
  if (presented.token_hash !== "") {
    if (presented.email !== "" || presented.phone !== "" || presented.token !== "") {
      throw authError("validation_failed", "Only the token_hash and type should be provided");
    }
    const found = await findOneTimeByLink(context, presented.token_hash, kinds);
    if (found === null) throw oneTimeError(LINK_ERROR_MESSAGE);
    if (found.flow_state_id !== null) await requireVerifier(context, found.flow_state_id, presented.code_verifier);
    return found;
  }
  if (presented.token === "") throw authError("validation_failed", "Verify requires a token or a token hash");
  if (presented.phone !== "") rejectPhoneCode(presented);
  const relatesTo = parseEmail(presented.email);
  const found = await findOneTimeByCode(context, { relatesTo, code: presented.token, kinds });
  if (found === null) throw oneTimeError();
  return found;
}

/** No code is sent to phone numbers, so every code is wrong. */
function rejectPhoneCode({ email, phone }: Presented): never {
  if (email !== "") {
    throw authError("validation_failed", "Only an email address or phone number should be provided on verify");
  }
  checkPhoneNumber(phone);
  throw oneTimeError();
}
