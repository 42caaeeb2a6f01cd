import { portalToken } from "./portal.ts";

/** Messages between the portal and the page that shows it in a frame. */
const RENEW = "swarmbase.portal.renew";
const LINK = "swarmbase.portal.link";
/** How long before its end the page asks for another token. */
const RENEW_BEFORE_MS = 60_000;

let timers: readonly ReturnType<typeof setTimeout>[] = [];
let onRenewed: () => void = () => {};

/** Takes the token of the address, and later those of links that are opened in this page or that the page around it sends. */
export function startPortal(onNewToken: () => void): void {
  takeAddress();
  onRenewed = onNewToken;
  addEventListener("hashchange", takeAddress);
  addEventListener("message", ({ source, data }: MessageEvent<unknown>) => {
    if (source !== parent || parent === window || !isLink(data)) return;
    takeFragment(URL.parse(data.url)?.hash ?? "");
  });
  if (portalToken.get() === "") askForLink();
}

/** The service no longer accepts the token. */
export async function endPortal(): Promise<void> {
  if (portalToken.get() === "") return;
  portalToken.set("");
  askForLink();
}

function takeAddress(): void {
  const { hash, pathname, search } = location;
  if (takeFragment(hash)) history.replaceState(history.state, "", `${pathname}${search}`);
}

function takeFragment(hash: string): boolean {
  const fragment = new URLSearchParams(hash.slice(1));
  const next = fragment.get("token") ?? "";
  if (next === "") return false;
  for (const timer of timers) clearTimeout(timer);
  const leftMs = Date.parse(fragment.get("expires_at") ?? "") - Date.now();
  // Without a time, or with a clock that is wrong, the service says when it has ended.
  timers =
    leftMs > 0 ? [setTimeout(askForLink, leftMs - RENEW_BEFORE_MS), setTimeout(() => void endPortal(), leftMs)] : [];
  portalToken.set(next);
  onRenewed();
  return true;
}

/** The message has nothing that is secret, so it does not matter which page is around. */
function askForLink(): void {
  if (parent !== window) parent.postMessage({ type: RENEW }, "*");
}

function isLink(data: unknown): data is { readonly url: string } {
  if (typeof data !== "object" || data === null) return false;
  const { type, url } = data as { readonly type?: unknown; readonly url?: unknown };
  return type === LINK && typeof url === "string";
}
