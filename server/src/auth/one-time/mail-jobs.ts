import * as z from "zod";
import { inTransaction, type Queryable } from "../../db/index.ts";
import type { AuthContext } from "../auth-context.ts";
import type { AuthCall } from "../call.ts";
import { deleteExpired } from "../sql/expired-rows.ts";
import { insertMail } from "../sql/mail-outbox.ts";
import { chooseRedirect } from "./links.ts";
import { claimMailSlot, type MailSlot } from "./claim-mail-slot.ts";
import { readPkce } from "./pkce.ts";

/** The kind of these rows in the outbox. */
export const ACCOUNT_MAIL = "account_mail";

/** Which mail a request asks for. Whether one is sent, and which, depends on the account of the address. */
const JOB_FLOW = z.discriminatedUnion("flow", [
  z.object({ flow: z.literal("recovery") }),
  z.object({
    flow: z.literal("otp"),
    /** Creates an account for an address without one. */
    mayCreate: z.boolean(),
    userMetadata: z.record(z.string(), z.unknown()),
    /** The client's, for the hook that is asked about a new account. */
    address: z.string().optional(),
  }),
  z.object({
    flow: z.literal("signup"),
    /** The sign-up has created the account. */
    isNew: z.boolean(),
  }),
  z.object({ flow: z.literal("resend_signup") }),
  z.object({ flow: z.literal("resend_email_change") }),
  /** The address of the job is the new one. */
  z.object({ flow: z.literal("email_change"), userId: z.string() }),
  z.object({ flow: z.literal("address_taken") }),
]);

const LINK_OPTIONS = z.object({
  redirectTo: z.string(),
  pkce: z.object({ challenge: z.string(), method: z.enum(["s256", "plain"]) }).nullable(),
});

export const MAIL_JOB = z.intersection(JOB_FLOW, LINK_OPTIONS);
export type MailJob = z.output<typeof MAIL_JOB>;
export type LinkOptions = z.output<typeof LINK_OPTIONS>;
type JobFlow = z.output<typeof JOB_FLOW>;

/** What the request determines of a link. Throws for an invalid code challenge, whatever the address is. */
export function readLinkOptions(context: AuthContext, call: Pick<AuthCall, "body" | "query">): LinkOptions {
  return { redirectTo: chooseRedirect(context, call.query["redirect_to"]), pkce: readPkce(call) };
}

interface RequestedMail {
  /** Normalized. */
  readonly address: string;
  readonly flow: JobFlow;
  readonly options: LinkOptions;
}

/**
 * Stores the request in the caller's transaction. A worker looks up the account and sends the mail after the response, so
 * that neither the response nor its time depends on the account. The caller wakes the worker after the commit.
 */
export function storeMailJob(client: Queryable, { address, flow, options }: RequestedMail): Promise<void> {
  return insertMail(client, { kind: ACCOUNT_MAIL, email: address, data: { ...flow, ...options } });
}

/** Stores a request that changes nothing else. */
export async function requestMail(context: AuthContext, slot: MailSlot, mail: RequestedMail): Promise<void> {
  await context.mailer.checkReady();
  const now = context.clock.now();
  const throttledBefore = new Date(now.getTime() - context.settings.authMailIntervalSeconds * 1000);
  await inTransaction(context.pool, (client) => deleteExpired(client, now, throttledBefore));
  await inTransaction(context.pool, async (client) => {
    await claimMailSlot(context, client, { address: mail.address, slot });
    await storeMailJob(client, mail);
  });
  context.mailWakeUp.trigger();
}
