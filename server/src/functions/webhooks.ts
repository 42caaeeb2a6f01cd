import { z } from "zod";
import { isPortal, requireScope } from "../db/index.ts";
import { AppError } from "../errors/index.ts";
import type { WebhookModule } from "../webhooks/index.ts";
import { callerIdOf } from "./caller-id.ts";
import { defineFunction } from "./define-function.ts";
import type { FunctionDescription, NamedFunction } from "./function-call.ts";
import { parseFunctionBody } from "./parse-function-body.ts";

const bodySchema = z.discriminatedUnion("action", [
  z.object({
    action: z.literal("regenerate_secret"),
    webhook_id: z.guid(),
    /** How long the replaced secret continues to sign beside the new one. */
    grace_period_seconds: z.number().optional(),
  }),
  z.object({ action: z.literal("revoke_previous_secrets"), webhook_id: z.guid() }),
  z.object({
    action: z.literal("test_filter"),
    filter: z.record(z.string(), z.unknown()),
    /** Whose events; the service role has to name it. */
    user_id: z.guid().optional(),
  }),
  z.object({ action: z.literal("portal_link"), user_id: z.guid() }),
]);

export const WEBHOOKS = {
  name: "webhooks",
  access: "account",
  keyScope: ["read", "share"],
  isOfPortal: true,
  limit: "api",
  body: bodySchema,
} as const satisfies FunctionDescription;

/** A page for a user who manages their webhooks without an account of the console. */
type CreatePortalLink = (userId: string) => Promise<{ readonly url: string; readonly expires_at: Date }>;

export function createWebhooks(webhooks: WebhookModule, createPortalLink: CreatePortalLink): NamedFunction {
  return defineFunction(WEBHOOKS, async (call) => {
    const callerId = callerIdOf(call.principal);
    const body = parseFunctionBody(bodySchema, call);
    switch (body.action) {
      case "regenerate_secret": {
        if (!isPortal(call.principal)) requireScope(call.principal, "secrets");
        const { webhook_id: webhookId, grace_period_seconds: gracePeriodSeconds } = body;
        const made = await webhooks.regenerateSecret({ callerId, webhookId, gracePeriodSeconds });
        return {
          status: 200,
          body: { new_secret: made.newSecret, previous_secret_expires_at: made.previousExpiresAt },
        };
      }
      case "revoke_previous_secrets":
        return {
          status: 200,
          body: { revoked: await webhooks.revokePreviousSecrets({ callerId, webhookId: body.webhook_id }) },
        };
      case "test_filter":
        return {
          status: 200,
          body: { events: await webhooks.testFilter({ callerId, filter: body.filter, userId: body.user_id }) },
        };
      case "portal_link":
        if (callerId !== null) throw new AppError("FORBIDDEN", "Only the service role makes links to the portal.");
        return { status: 200, body: await createPortalLink(body.user_id) };
    }
  });
}
