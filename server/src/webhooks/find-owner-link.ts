import type { Settings } from "../config/index.ts";
import type { OwnerNotice } from "./sql/owner-notices.ts";

export type OwnerLinkSettings = Pick<Settings, "console" | "publicUrl" | "siteUrl" | "roles">;

/**
 * The link in a mail to an owner: the webhook's page in the console, or SITE_URL where no console is served. Without PUBLIC_URL a
 * node that does not serve the API does not know where the console is.
 */
export function findOwnerLink(
  { console: hasConsole, publicUrl, siteUrl, roles }: OwnerLinkSettings,
  baseUrl: string,
  { webhooks }: Pick<OwnerNotice, "webhooks">,
): string | null {
  if (!hasConsole || (publicUrl === null && !roles.includes("api"))) return siteUrl;
  const [only] = webhooks.length === 1 ? webhooks : [];
  return `${baseUrl.replace(/\/$/, "")}/webhooks${only === undefined ? "" : `/${only.webhookId}`}`;
}
