import { isPageOf, isRelyingPartyId } from "../../config/index.ts";
import type { AuthContext } from "../auth-context.ts";
import { siteUrlOf } from "../one-time/links.ts";

/** As which the service uses WebAuthn. */
export interface RelyingParty {
  /** The domain that browsers bind credentials to. */
  readonly id: string;
  readonly origins: readonly string[];
}

export interface RelyingPartyContext {
  readonly settings: Pick<
    AuthContext["settings"],
    "authPasskeysRpId" | "authPasskeysOrigins" | "siteUrl" | "redirectAllowList"
  >;
  readonly baseUrl: string;
}

/** Null where browsers have no WebAuthn: on pages of an IP address, and on pages without TLS except those of localhost. */
export function findRelyingParty(context: RelyingPartyContext): RelyingParty | null {
  const { authPasskeysRpId, authPasskeysOrigins } = context.settings;
  const site = siteUrlOf(context);
  const id = (authPasskeysRpId ?? URL.parse(site)?.hostname ?? "").toLowerCase();
  if (!isRelyingPartyId(id)) return null;
  const pages = authPasskeysOrigins ?? [site, context.baseUrl];
  const origins = new Set(pages.filter((page) => isPageOf(id, page)).map((page) => new URL(page).origin));
  return origins.size === 0 ? null : { id, origins: [...origins] };
}
