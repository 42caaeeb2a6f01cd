import { type ConnectorOptions, openConnector } from "./connection/guarded-connector.ts";
import { OriginPools } from "./connection/origin-pools.ts";
import { Exchange } from "./exchange.ts";
import { findHeaderFault } from "./header-rules.ts";
import { OutboundError, type OutboundFault, type OutboundResult } from "./outbound-result.ts";
import { checkTargetUrl, type TargetCheck } from "./target-url.ts";

/** Groups exchanges by their abort signal, so that each signal has one listener. */
class AbortGroups {
  readonly #groups = new Map<AbortSignal, Set<Exchange>>();

  join(signal: AbortSignal, exchange: Exchange): void {
    const group = this.#groups.get(signal) ?? new Set();
    if (group.size === 0) signal.addEventListener("abort", this.#abort);
    this.#groups.set(signal, group.add(exchange));
  }

  leave(signal: AbortSignal, exchange: Exchange): void {
    const group = this.#groups.get(signal);
    if (group === undefined || !group.delete(exchange) || group.size > 0) return;
    signal.removeEventListener("abort", this.#abort);
    this.#groups.delete(signal);
  }

  #abort = ({ target }: Event): void =>
    this.#groups.get(target as AbortSignal)?.forEach((exchange) => exchange.abort());
}

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

interface OutboundOptions extends ConnectorOptions {
  readonly maxOrigins: number;
  readonly maxSocketAgeMs?: number;
}

const MAX_SOCKET_AGE_MS = 300_000;
const MAX_TARGETS = 2_000;

export function openOutbound(options: OutboundOptions): Outbound {
  const { connectionsPerOrigin: maxConnections, maxOrigins, maxSocketAgeMs = MAX_SOCKET_AGE_MS } = options;
  const { connect, close: closeConnector } = openConnector(options);
  const pools = new OriginPools({ connect, maxConnections, maxOrigins, maxSocketAgeMs });
  const targets = new Map<string, TargetCheck>();
  /** Caches the checks of URLs, which need no DNS. Names are resolved and checked with every connection. */
  const checkTarget = (url: string): TargetCheck => {
    const known = targets.get(url);
    if (known !== undefined) return known;
    const target = checkTargetUrl(url, options.policy);
    if (targets.size >= MAX_TARGETS) targets.clear();
    if (target.ok) targets.set(url, target);
    return target;
  };
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
      closeConnector();
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
