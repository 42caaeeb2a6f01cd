import type { LookupAddress } from "node:dns";
import { isIP, type LookupFunction, type Socket } from "node:net";
import type { SecureContext } from "node:tls";
import { buildConnector } from "undici";
import type { AddressPolicy } from "../address-policy.ts";
import type { DnsCache } from "../dns/dns-cache.ts";
import { OutboundError } from "../outbound-error.ts";
import { isLocalName } from "../target-url.ts";

const CONNECT_TIMEOUT_MS = 10_000;
const CACHED_SESSIONS = 1_000;

export interface GuardedConnectorOptions {
  readonly policy: AddressPolicy;
  readonly dnsCache: DnsCache;
  readonly roots: SecureContext;
}

/** Connects as undici asks, with the result in the callback. Returns the connecting socket, if there is one. */
export type GuardedConnector = (to: buildConnector.Options, callback: buildConnector.Callback) => Socket | null;

type LookupCallback = Parameters<LookupFunction>[2];

/**
 * Checks every connection. Literal addresses are checked before; names are resolved and checked in the lookup of the socket
 * itself, so that no second resolution can return another address.
 */
export function createGuardedConnector({ policy, dnsCache, roots }: GuardedConnectorOptions): GuardedConnector {
  const resolve = async (name: string, callback: LookupCallback): Promise<void> => {
    let addresses: LookupAddress[];
    try {
      addresses = await resolveAllowed(name, policy, dnsCache);
    } catch (error) {
      return callback(error as OutboundError, []);
    }
    callback(null, addresses);
  };
  // Returns all addresses, as a socket with autoSelectFamily expects.
  const lookup: LookupFunction = (name, _options, callback) => void resolve(name, callback);
  const connect = buildConnector({
    secureContext: roots,
    // Explicit, so that NODE_TLS_REJECT_UNAUTHORIZED has no effect.
    rejectUnauthorized: true,
    allowH2: false,
    timeout: CONNECT_TIMEOUT_MS,
    maxCachedSessions: CACHED_SESSIONS,
    autoSelectFamily: true,
    lookup,
  });

  return (to, callback) => {
    const fault = findFault(to, policy);
    if (fault !== null) {
      queueMicrotask(() => callback(fault, null));
      return null;
    }
    const opening: unknown = connect(to, (...[error, socket]) => {
      if (error !== null) return callback(error, null);
      // A second barrier, in case a later version of Node or undici does not use the lookup above.
      const peer = socket.remoteAddress;
      if (peer === undefined || policy.allows(peer)) return callback(null, socket);
      socket.destroy();
      callback(new OutboundError("blocked_address", "The host is at an address that must not be reached."), null);
    });
    return opening as Socket;
  };
}

function findFault({ hostname, protocol }: buildConnector.Options, policy: AddressPolicy): OutboundError | null {
  if (protocol !== "https:") return new OutboundError("invalid_url", "The URL must use https.");
  if (isIP(hostname) === 0 || policy.allows(hostname)) return null;
  return new OutboundError("blocked_address", "The address must not be reached.");
}

/** One blocked address rejects the name: an attacker may add allowed addresses to pass a check of the first. */
async function resolveAllowed(name: string, policy: AddressPolicy, dnsCache: DnsCache): Promise<LookupAddress[]> {
  const addresses = await dnsCache.find(name);
  const isAllowed = isLocalName(name) ? policy.isAllowListed : policy.allows;
  if (!addresses.every(({ address }) => isAllowed(address))) {
    throw new OutboundError("blocked_address", "The host name leads to an address that must not be reached.");
  }
  return addresses.map(({ address, family }) => ({ address, family }));
}
