import { Agent, buildConnector, type Dispatcher, fetch, Headers, type RequestInit, type Response } from "undici";
import type { AddressPolicy } from "./address-policy.ts";
import { createGuardedConnector } from "./connection/guarded-connector.ts";
import { createDnsCache } from "./dns/dns-cache.ts";
import type { Resolver } from "./dns/resolver.ts";
import { createSystemResolver } from "./dns/system-resolver.ts";
import { OutboundError } from "./outbound-error.ts";
import { checkTargetUrl } from "./target-url.ts";
import { createTrustedRoots } from "./trusted-roots.ts";

export interface GuardedFetchOptions {
  readonly policy: AddressPolicy;
  /** Certificate authorities in PEM, trusted in addition to those of the system. */
  readonly ca: readonly string[];
  readonly connectionsPerOrigin: number;
  /** URLs from the configuration: their origins may have any address and may use plain HTTP. */
  readonly exemptUrls: readonly string[];
  readonly resolve?: Resolver;
}

export interface GuardedFetch {
  /** Like the global fetch, but redirects are errors and the response must be uncompressed. */
  fetch(input: string | URL, init?: RequestInit): Promise<Response>;
  /** For libraries that send their own requests. It does not follow redirects. */
  readonly dispatcher: Dispatcher;
  close(): Promise<void>;
}

const CONNECT_TIMEOUT_MS = 10_000;

/** For long streamed responses; the caller sets deadlines by signal. */
export function openGuardedFetch(options: GuardedFetchOptions): GuardedFetch {
  const { policy, ca, connectionsPerOrigin, exemptUrls, resolve } = options;
  const exemptOrigins = new Set(exemptUrls.map((url) => new URL(url).origin));
  const dnsCache = createDnsCache({
    resolve: resolve ?? createSystemResolver({ usesHostsFile: policy.hasAllowList }),
  });
  const roots = createTrustedRoots(ca);
  const connectGuarded = createGuardedConnector({ policy, dnsCache, roots });
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
      // Decompressed, the response could be a thousand times its size.
      await response.body?.cancel();
      throw new OutboundError("protocol", "The response is compressed, although the request did not accept that.");
    },
    async close() {
      dnsCache.close();
      await agent.destroy();
    },
  };
}

function originOf({ protocol, hostname, port }: buildConnector.Options): string {
  const host = hostname.includes(":") ? `[${hostname}]` : hostname;
  return new URL(`${protocol}//${host}${port === "" ? "" : `:${port}`}`).origin;
}
