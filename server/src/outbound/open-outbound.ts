import { AbortGroups } from "./abort-groups.ts";
import type { AddressPolicy } from "./address-policy.ts";
import { createGuardedConnector } from "./connection/guarded-connector.ts";
import { OriginPools } from "./connection/origin-pools.ts";
import { createDnsCache } from "./dns/dns-cache.ts";
import type { Resolver } from "./dns/resolver.ts";
import { createSystemResolver } from "./dns/system-resolver.ts";
import { Exchange } from "./exchange.ts";
import { findHeaderFault } from "./header-rules.ts";
import { OutboundError } from "./outbound-error.ts";
import type { OutboundFault, OutboundResult } from "./outbound-result.ts";
import { createTargetChecks } from "./target-checks.ts";
import { createTrustedRoots } from "./trusted-roots.ts";

export interface OutboundRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | string;
  /** From the call to the last byte of the response, including the wait for a connection. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

export interface Outbound {
  /** Never rejects. A redirect is returned like any other response. */
  post(request: OutboundRequest): Promise<OutboundResult>;
  /** Aborts all requests; resolves when all sockets are closed. */
  close(): Promise<void>;
  readonly size: { readonly origins: number; readonly connections: number };
}

export interface OutboundOptions {
  readonly policy: AddressPolicy;
  /** Certificate authorities in PEM, trusted in addition to those of the system. */
  readonly ca: readonly string[];
  readonly connectionsPerOrigin: number;
  readonly maxOrigins: number;
  readonly maxSocketAgeMs?: number;
  readonly resolve?: Resolver;
}

const MAX_SOCKET_AGE_MS = 300_000;

export function openOutbound(options: OutboundOptions): Outbound {
  const { policy, ca, resolve, connectionsPerOrigin, maxOrigins, maxSocketAgeMs = MAX_SOCKET_AGE_MS } = options;
  const dnsCache = createDnsCache({
    resolve: resolve ?? createSystemResolver({ usesHostsFile: policy.hasAllowList }),
  });
  const connect = createGuardedConnector({ policy, dnsCache, roots: createTrustedRoots(ca) });
  const pools = new OriginPools({ connect, connectionsPerOrigin, maxOrigins, maxSocketAgeMs });
  const checkTarget = createTargetChecks(policy);
  const inFlight = new Set<Exchange>();
  const aborts = new AbortGroups();
  let isClosed = false;

  return {
    async post({ url: text, headers, body, timeoutMs, signal }) {
      const target = checkTarget(text);
      if (!target.ok) return fail(target.fault, target.reason);
      const headerFault = findHeaderFault(headers);
      if (headerFault !== null) return fail("invalid_header", headerFault);
      if (isClosed || signal?.aborted === true) return fail("aborted", "The request was cancelled.");
      const { origin, pathname, search } = target.url;
      const pool = pools.find(origin);
      return new Promise((settle) => {
        const exchange = new Exchange({
          options: {
            method: "POST",
            path: pathname + search,
            headers: { ...headers, "accept-encoding": "identity" },
            body,
          },
          pool,
          timeoutMs,
          onSettled: (settled, result) => {
            inFlight.delete(settled);
            if (signal !== undefined) aborts.leave(signal, settled);
            settle(result);
          },
        });
        inFlight.add(exchange);
        if (signal !== undefined) aborts.join(signal, exchange);
        pool.submit(exchange);
      });
    },
    async close() {
      isClosed = true;
      for (const exchange of inFlight) exchange.cancel(new OutboundError("aborted", "The sender is closing."));
      dnsCache.close();
      await pools.destroy();
    },
    get size() {
      return { origins: pools.originCount, connections: pools.connectionCount };
    },
  };
}

function fail(code: OutboundFault, message: string): OutboundResult {
  return { kind: "failed", code, message, durationMs: 0 };
}
