import { Agent, buildConnector, type Dispatcher, fetch, Headers, type RequestInit, type Response } from "undici";
import type { AddressPolicy } from "./address-policy.ts";
import { createGuardedConnector } from "./connection/guarded-connector.ts";
import { createAddressBook } from "./dns/address-book.ts";
import type { Resolver } from "./dns/resolver.ts";
import { createSystemResolver } from "./dns/system-resolver.ts";
import { OutboundError } from "./outbound-error.ts";
import { checkTargetUrl } from "./target-url.ts";
import { createTrustedRoots } from "./trusted-roots.ts";

export interface GuardedFetchOptions {
  readonly policy: AddressPolicy;
  /** PEM texts of authorities that are trusted beside the system's. */
  readonly ca: readonly string[];
  readonly connectionsPerOrigin: number;
  /** URLs that the operator configured: their origins may be anywhere, and may speak plain HTTP. */
  readonly exemptUrls: readonly string[];
  readonly resolve?: Resolver;
}

export interface GuardedFetch {
  /** As the platform's, but redirects are errors and the answer comes unpacked. */
  fetch(input: string | URL, init?: RequestInit): Promise<Response>;
  /** For libraries that make their requests themselves. It does not follow redirects. */
  readonly dispatcher: Dispatcher;
  close(): Promise<void>;
}

const CONNECT_TIMEOUT_MS = 10_000;

/** For answers that are streamed and long; deadlines are the caller's, by signal. */
export function openGuardedFetch(options: GuardedFetchOptions): GuardedFetch {
  const { policy, ca, connectionsPerOrigin, exemptUrls, resolve } = options;
  const exemptOrigins = new Set(exemptUrls.map((url) => new URL(url).origin));
  const addressBook = createAddressBook({
    resolve: resolve ?? createSystemResolver({ usesHostsFile: policy.hasAllowList }),
  });
  const roots = createTrustedRoots(ca);
  const connectGuarded = createGuardedConnector({ policy, addressBook, roots });
  const connectExempt = buildConnector({
    secureContext: roots,
    rejectUnauthorized: true,
    allowH2: false,
    timeout: CONNECT_TIMEOUT_MS,
  });
  const agent = new Agent({
    connections: connectionsPerOrigin,
    allowH2: false,
    connect: (to, callback) => {
      if (exemptOrigins.has(originOf(to))) connectExempt(to, callback);
      else connectGuarded(to, callback);
    },
  });
  const dispatcher = agent.compose((dispatch) => (request, handler) => {
    const { origin = "", path } = request;
    if (!exemptOrigins.has(new URL(origin).origin)) {
      const target = checkTargetUrl(`${origin.toString().replace(/\/$/, "")}${path}`, policy);
      if (!target.ok) throw new OutboundError(target.fault, target.reason);
    }
    return dispatch(request, handler);
  });

  return {
    dispatcher,
    async fetch(input, init = {}) {
      const headers = new Headers(init.headers);
      headers.set("accept-encoding", "identity");
      const response = await fetch(input, { ...init, headers, dispatcher, redirect: "error" });
      const encoding = response.headers.get("content-encoding") ?? "identity";
      if (encoding === "identity") return response;
      // A packed answer that nobody asked for can be a thousand times what was sent.
      await response.body?.cancel();
      throw new OutboundError("protocol", "The answer is packed, although that was not asked for.");
    },
    async close() {
      addressBook.close();
      await agent.destroy();
    },
  };
}

function originOf({ protocol, hostname, port }: buildConnector.Options): string {
  const host = hostname.includes(":") ? `[${hostname}]` : hostname;
  return new URL(`${protocol}//${host}${port === "" ? "" : `:${port}`}`).origin;
}
