import { siteUrlOf } from "../one-time/redirects.ts";
import type { ComposeMail, ComposeContext } from "./compose-mail.ts";
import { type DisabledWebhook, selectDisabledWebhooks } from "./sql/disabled-webhooks.ts";

export const composeWebhookDisabled: ComposeMail = async (context, { to, data }) => {
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

/** The page of the webhook in the console, or the operator's application where no console is served. */
function findLink({ settings, baseUrl }: ComposeContext, webhooks: readonly DisabledWebhook[]): string | null {
  if (!settings.console) return settings.siteUrl;
  const [only] = webhooks.length === 1 ? webhooks : [];
  return `${baseUrl.replace(/\/+$/, "")}/webhooks${only === undefined ? "" : `/${only.id}`}`;
}
