import { AbortGroups } from "./abort-groups.ts";
import type { AddressPolicy } from "./address-policy.ts";
import { createGuardedConnector } from "./connection/guarded-connector.ts";
import { OriginPools } from "./connection/origin-pools.ts";
import { createAddressBook } from "./dns/address-book.ts";
import type { Resolver } from "./dns/resolver.ts";
import { createSystemResolver } from "./dns/system-resolver.ts";
import { Exchange } from "./exchange.ts";
import { findHeaderFault } from "./header-rules.ts";
import { OutboundError } from "./outbound-error.ts";
import type { OutboundFault, OutboundResult } from "./outbound-result.ts";
import { createTargetMemory } from "./target-memory.ts";
import { createTrustedRoots } from "./trusted-roots.ts";

export interface OutboundRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | string;
  /** From the call to the last byte of the answer, a wait for a free connection included. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

export interface Outbound {
  /** Never rejects. A redirect is an answer like any other. */
  post(request: OutboundRequest): Promise<OutboundResult>;
  /** Ends everything under way, as aborted; resolves when no socket is left. */
  close(): Promise<void>;
  /** What is held at this moment. */
  readonly size: { readonly origins: number; readonly connections: number };
}

export interface OutboundOptions {
  readonly policy: AddressPolicy;
  /** PEM texts of authorities that are trusted beside the system's. */
  readonly ca: readonly string[];
  readonly connectionsPerOrigin: number;
  readonly maxOrigins: number;
  readonly maxSocketAgeMs?: number;
  readonly resolve?: Resolver;
}

const MAX_SOCKET_AGE_MS = 300_000;

export function openOutbound(options: OutboundOptions): Outbound {
  const { policy, ca, resolve, connectionsPerOrigin, maxOrigins, maxSocketAgeMs = MAX_SOCKET_AGE_MS } = options;
  const addressBook = createAddressBook({
    resolve: resolve ?? createSystemResolver({ usesHostsFile: policy.hasAllowList }),
  });
  const connect = createGuardedConnector({ policy, addressBook, roots: createTrustedRoots(ca) });
  const pools = new OriginPools({ connect, connectionsPerOrigin, maxOrigins, maxSocketAgeMs });
  const targets = createTargetMemory(policy);
  const underWay = new Set<Exchange>();
  const aborts = new AbortGroups();
  let isClosed = false;

  return {
    async post({ url: text, headers, body, timeoutMs, signal }) {
      const target = targets.find(text);
      if (!target.ok) return refuse(target.fault, target.reason);
      const headerFault = findHeaderFault(headers);
      if (headerFault !== null) return refuse("invalid_header", headerFault);
      if (isClosed || signal?.aborted === true) return refuse("aborted", "The request was cancelled.");
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
            underWay.delete(settled);
            if (signal !== undefined) aborts.leave(signal, settled);
            settle(result);
          },
        });
        underWay.add(exchange);
        if (signal !== undefined) aborts.join(signal, exchange);
        pool.submit(exchange);
      });
    },
    async close() {
      isClosed = true;
      for (const exchange of underWay) exchange.cancel(new OutboundError("aborted", "The sender is closing."));
      addressBook.close();
      await pools.destroy();
    },
    get size() {
      return { origins: pools.originCount, connections: pools.connectionCount };
    },
  };
}

function refuse(code: OutboundFault, message: string): OutboundResult {
  return { kind: "failed", code, message, durationMs: 0 };
}
