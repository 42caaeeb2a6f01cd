import type { LookupAddress } from "node:dns";
import { isIP, type LookupFunction, type Socket } from "node:net";
import { createSecureContext, getCACertificates, type SecureContext } from "node:tls";
import { buildConnector } from "undici";
import type { AddressPolicy } from "../address-policy.ts";
import { createDnsCache, type DnsCache } from "../dns/dns-cache.ts";
import type { Resolver } from "../dns/resolver.ts";
import { createSystemResolver } from "../dns/system-resolver.ts";
import { OutboundError } from "../outbound-result.ts";
import { isLocalName, isLoopbackAddress, isLoopbackHost, type TargetOptions } from "../target-url.ts";

const CONNECT_TIMEOUT_MS = 10_000;
const CACHED_SESSIONS = 1_000;

export interface ConnectorOptions extends TargetOptions {
  readonly policy: AddressPolicy;
  /** Certificate authorities in PEM, trusted in addition to those of the system. */
  readonly ca: readonly string[];
  readonly connectionsPerOrigin: number;
  readonly resolve?: Resolver;
}

interface GuardedConnectorOptions extends TargetOptions {
  readonly policy: AddressPolicy;
  readonly dnsCache: DnsCache;
  provideTls(): TlsOptions;
}

type TlsOptions = ReturnType<typeof buildTlsOptions>;

/** Connects as undici asks, with the result in the callback. Returns the connecting socket, if there is one. */
export type GuardedConnector = (to: buildConnector.Options, callback: buildConnector.Callback) => Socket | null;

type LookupCallback = Parameters<LookupFunction>[2];

/** A guarded connector with its own DNS cache, and a connector to any address that trusts the same authorities. */
export function openConnector({ policy, ca, resolve, allowsPlainLoopback = false }: ConnectorOptions): {
  readonly connect: GuardedConnector;
  readonly connectAnywhere: buildConnector.connector;
  close(): void;
} {
  const dnsCache = createDnsCache({
    resolve: resolve ?? createSystemResolver({ usesHostsFile: policy.hasAllowList }),
  });
  const provideTls = () => buildTlsOptions(ca);
  return {
    connect: createGuardedConnector({ policy, dnsCache, provideTls, allowsPlainLoopback }),
    connectAnywhere: buildAtFirstUse({}, provideTls),
    close: dnsCache.close,
  };
}

/**
 * Parsing the authorities of the system takes a part of the start that most nodes can save, so the first connection with TLS does
 * it, and a search for a model server of this machine does not.
 */
function buildAtFirstUse(options: buildConnector.BuildOptions, provideTls: () => TlsOptions): buildConnector.connector {
  const plain = buildConnector({ ...options, timeout: CONNECT_TIMEOUT_MS });
  let secure: buildConnector.connector | null = null;
  return (to, callback) => {
    if (to.protocol !== "https:") return plain(to, callback);
    secure ??= buildConnector({ ...options, ...provideTls() });
    return secure(to, callback);
  };
}

export function buildTlsOptions(extraPems: readonly string[]) {
  return {
    secureContext: provideSecureContext(extraPems),
    // Explicit, so that NODE_TLS_REJECT_UNAUTHORIZED has no effect.
    rejectUnauthorized: true,
    allowH2: false,
    timeout: CONNECT_TIMEOUT_MS,
  };
}

let newest: { readonly ca: string; readonly secureContext: SecureContext } | null = null;

/**
 * Connections and connectors that trust the same authorities share a context: parsing the roots takes longer than many handshakes,
 * and a node opens a connector for each provider and extension.
 */
function provideSecureContext(extraPems: readonly string[]): SecureContext {
  const ca = [...new Set([...getCACertificates("default"), ...getCACertificates("system"), ...extraPems])];
  const key = ca.join("\n");
  if (newest?.ca !== key) newest = { ca: key, secureContext: createSecureContext({ ca, minVersion: "TLSv1.2" }) };
  return newest.secureContext;
}

/** Checks names in the lookup of the socket itself, so that no second resolution can return another address. */
export function createGuardedConnector(options: GuardedConnectorOptions): GuardedConnector {
  const { policy, dnsCache, provideTls } = options;
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
  const connect = buildAtFirstUse({ maxCachedSessions: CACHED_SESSIONS, autoSelectFamily: true, lookup }, provideTls);

  return (to, callback) => {
    const fault = findFault(to, options);
    if (fault !== null) {
      queueMicrotask(() => callback(fault, null));
      return null;
    }
    const opening: unknown = connect(to, (...[error, socket]) => {
      if (error !== null) return callback(error, null);
      // A second barrier, in case a later version of Node or undici does not use the lookup above.
      const peer = socket.remoteAddress;
      const isAllowed = (address: string): boolean =>
        policy.allows(address) && (to.protocol === "https:" || isLoopbackAddress(address));
      if (peer === undefined || isAllowed(peer)) return callback(null, socket);
      socket.destroy();
      callback(new OutboundError("blocked_address", "The host is at an address that must not be reached."), null);
    });
    return opening as Socket;
  };
}

function findFault(
  { hostname, protocol }: buildConnector.Options,
  { policy, allowsPlainLoopback = false }: GuardedConnectorOptions,
): OutboundError | null {
  const isPlainAllowed = allowsPlainLoopback && isLoopbackHost(hostname);
  if (protocol !== "https:" && !isPlainAllowed) return new OutboundError("invalid_url", "The URL must use https.");
  if (isIP(hostname) === 0 || policy.allows(hostname)) return null;
  return new OutboundError("blocked_address", "The address must not be reached.");
}

/** One blocked address rejects the name: an attacker may add allowed addresses to pass a check of the first. */
async function resolveAllowed(name: string, policy: AddressPolicy, dnsCache: DnsCache): Promise<LookupAddress[]> {
  const addresses = await dnsCache.find(name);
  const isAllowed = isLocalName(name) ? policy.isAllowListed : policy.allows;
  const isExpected = (address: string): boolean => name !== "localhost" || isLoopbackAddress(address);
  if (!addresses.every(({ address }) => isAllowed(address) && isExpected(address))) {
    throw new OutboundError("blocked_address", "The host name leads to an address that must not be reached.");
  }
  return addresses.map(({ address, family }) => ({ address, family }));
}
