import type { Settings } from "../config/index.ts";
import type { OwnerNotice } from "./sql/owner-notices.ts";

export type OwnerLinkSettings = Pick<Settings, "console" | "publicUrl" | "siteUrl" | "roles">;

/**
 * Where an owner looks after webhooks: the page of the console, or the operator's application where there is none. Null when
 * neither is known: a node that serves no requests does not know the address of those that do.
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
