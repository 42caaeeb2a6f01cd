import { createStore } from "./store.ts";

/** The only path at which the service lets other pages show this one in a frame. */
export const PORTAL_PATH = "/portal";

/**
 * Whether this page is the portal: the pages of webhooks alone, which an app shows to its own customers. Its token reaches
 * webhooks, their deliveries and attempts, and event types; it reads no secret, and joins no channel.
 */
export function isPortal(): boolean {
  return location.pathname === PORTAL_PATH || location.pathname.startsWith(`${PORTAL_PATH}/`);
}

/** Only in memory: a reload ends it, and no other page of the browser finds it. "" before the first token and after the end. */
export const portalToken = createStore("");
