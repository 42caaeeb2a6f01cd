import { ADDRCONFIG } from "node:dns";
import { lookup, Resolver as DnsClient } from "node:dns/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { Semaphore } from "../../concurrency/index.ts";
import type { DnsAnswer, ResolvedAddress, Resolver } from "./resolver.ts";

const TRY_TIMEOUT_MS = 1_500;
const TRIES = 2;
/** Some name servers never answer for one of the families: once there are addresses, the others get this long. */
const GRACE_MS = 300;
/** Entries of a hosts file have no time to live. */
const HOSTS_TTL_SECONDS = 10;
/** The system's own look-up blocks one of the few threads that files are read with too. */
const LOOKUPS_AT_ONCE = 2;

export interface SystemResolverOptions {
  /** Whether names that the DNS does not know may come from the hosts file and the like. */
  readonly usesHostsFile: boolean;
  /** Instead of those that the system is configured with. */
  readonly servers?: readonly string[];
}

/** Asks the name servers without a thread; the system's look-up is only for names that they do not know. */
export function createSystemResolver({ usesHostsFile, servers }: SystemResolverOptions): Resolver {
  const lookups = new Semaphore({ permits: LOOKUPS_AT_ONCE });
  const lookUp = async (name: string, signal: AbortSignal): Promise<DnsAnswer> => {
    const found = await lookups.run(() => lookup(name, { all: true, hints: ADDRCONFIG }), { signal });
    const addresses = found.map(({ address, family }) => toResolved(address, family));
    return { addresses, ttlSeconds: HOSTS_TTL_SECONDS };
  };
  return async (name, signal) => {
    if (!usesHostsFile) return ask(name, signal, servers);
    if (!name.includes(".") || name.endsWith(".localhost")) return lookUp(name, signal);
    try {
      return await ask(name, signal, servers);
    } catch (error) {
      signal.throwIfAborted();
      return lookUp(name, signal).catch(() => {
        throw error;
      });
    }
  };
}

interface Found extends ResolvedAddress {
  readonly ttl: number;
}

/** A client for each question: it reads the system's configuration as it is now, and can be cancelled by itself. */
async function ask(name: string, signal: AbortSignal, servers?: readonly string[]): Promise<DnsAnswer> {
  signal.throwIfAborted();
  const client = new DnsClient({ timeout: TRY_TIMEOUT_MS, tries: TRIES });
  if (servers !== undefined) client.setServers(servers);
  const over = new AbortController();
  const cancel = (): void => client.cancel();
  signal.addEventListener("abort", cancel, { once: true });
  const found: Found[] = [];
  const gather = async (family: 4 | 6, question: Promise<{ address: string; ttl: number }[]>): Promise<void> => {
    for (const { address, ttl } of await question) found.push({ address, family, ttl });
  };
  try {
    const ipv4 = gather(4, client.resolve4(name, { ttl: true }));
    const ipv6 = gather(6, client.resolve6(name, { ttl: true }));
    const both = Promise.allSettled([ipv4, ipv6]);
    const enough = Promise.any([ipv4, ipv6]).then(
      () => sleep(GRACE_MS, null, { signal: over.signal }),
      () => both,
    );
    await Promise.race([both, enough]);
    if (found.length === 0) await ipv4;
    const addresses = found.toSorted((left, right) => left.family - right.family);
    return {
      addresses: addresses.map(({ address, family }) => ({ address, family })),
      ttlSeconds: Math.min(...addresses.map(({ ttl }) => ttl)),
    };
  } finally {
    over.abort();
    client.cancel();
    signal.removeEventListener("abort", cancel);
  }
}

function toResolved(address: string, family: number): ResolvedAddress {
  return { address, family: family === 6 ? 6 : 4 };
}
