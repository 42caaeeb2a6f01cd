import type { LookupAddress } from "node:dns";
import { isIP, type LookupFunction, type Socket } from "node:net";
import type { SecureContext } from "node:tls";
import { buildConnector } from "undici";
import type { AddressPolicy } from "../address-policy.ts";
import type { AddressBook } from "../dns/address-book.ts";
import { OutboundError } from "../outbound-error.ts";
import { isLocalName } from "../target-url.ts";

const CONNECT_TIMEOUT_MS = 10_000;
const CACHED_SESSIONS = 1_000;

export interface GuardedConnectorOptions {
  readonly policy: AddressPolicy;
  readonly addressBook: AddressBook;
  readonly roots: SecureContext;
}

/** Where to, as undici says it; answers through the callback. The socket is returned while it still connects, if there is one. */
export type GuardedConnector = (to: buildConnector.Options, callback: buildConnector.Callback) => Socket | null;

type LookupCallback = Parameters<LookupFunction>[2];

/**
 * Sees every connection that is opened. Literal addresses are judged before; names are resolved and judged inside the
 * look-up of the socket itself, so that there is no second resolution which could say something else.
 */
export function createGuardedConnector({ policy, addressBook, roots }: GuardedConnectorOptions): GuardedConnector {
  const answer = async (name: string, callback: LookupCallback): Promise<void> => {
    let addresses: LookupAddress[];
    try {
      addresses = await findVettedAddresses(name, policy, addressBook);
    } catch (error) {
      return callback(error as OutboundError, []);
    }
    callback(null, addresses);
  };
  // All of them at once, which is what a socket asks for when it may choose the family.
  const lookup: LookupFunction = (name, _options, callback) => void answer(name, callback);
  const connect = buildConnector({
    secureContext: roots,
    // Said here, it cannot be switched off by the environment.
    rejectUnauthorized: true,
    allowH2: false,
    timeout: CONNECT_TIMEOUT_MS,
    maxCachedSessions: CACHED_SESSIONS,
    autoSelectFamily: true,
    lookup,
  });

  return (to, callback) => {
    const refusal = findRefusal(to, policy);
    if (refusal !== null) {
      queueMicrotask(() => callback(refusal, null));
      return null;
    }
    const opening: unknown = connect(to, (...[error, socket]) => {
      if (error !== null) return callback(error, null);
      // Cannot happen while sockets ask the look-up above: it holds should a later version of something not do so.
      const peer = socket.remoteAddress;
      if (peer === undefined || policy.allows(peer)) return callback(null, socket);
      socket.destroy();
      callback(new OutboundError("blocked_address", "The host is at an address that must not be reached."), null);
    });
    return opening as Socket;
  };
}

function findRefusal({ hostname, protocol }: buildConnector.Options, policy: AddressPolicy): OutboundError | null {
  if (protocol !== "https:") return new OutboundError("invalid_url", "Only https is spoken.");
  if (isIP(hostname) === 0 || policy.allows(hostname)) return null;
  return new OutboundError("blocked_address", "The address must not be reached.");
}

/** One bad address refuses them all: whoever gives a good one beside it does so to get past a look at the first. */
async function findVettedAddresses(
  name: string,
  policy: AddressPolicy,
  addressBook: AddressBook,
): Promise<LookupAddress[]> {
  const addresses = await addressBook.find(name);
  const isGood = isLocalName(name) ? policy.isAllowListed : policy.allows;
  if (!addresses.every(({ address }) => isGood(address))) {
    throw new OutboundError("blocked_address", "The host name leads to an address that must not be reached.");
  }
  return addresses.map(({ address, family }) => ({ address, family }));
}
