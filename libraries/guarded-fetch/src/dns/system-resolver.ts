import { ADDRCONFIG } from "node:dns";
import { lookup, Resolver as DnsClient } from "node:dns/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { Semaphore } from "@swarmbase/concurrency";
import type { DnsAnswer, ResolvedAddress, Resolver } from "./resolver.ts";

const TRY_TIMEOUT_MS = 1_500;
const TRIES = 2;
/** Some name servers never answer for one address family: after the first answer, the other family gets this long. */
const GRACE_MS = 300;
/** Entries of a hosts file have no time to live. */
const HOSTS_TTL_SECONDS = 10;
/** getaddrinfo blocks one of the few threads of the pool that file access uses too. */
const MAX_LOOKUPS = 2;

interface SystemResolverOptions {
  /** Whether getaddrinfo (the hosts file, for example) may resolve names that the DNS does not have. */
  readonly usesHostsFile: boolean;
  /** Replace the configured name servers of the system. */
  readonly servers?: readonly string[];
}

/** Queries the name servers without a thread, and uses getaddrinfo only for names that they do not have. */
export function createSystemResolver({ usesHostsFile, servers }: SystemResolverOptions): Resolver {
  const lookups = new Semaphore({ permits: MAX_LOOKUPS });
  const lookUp = async (name: string, signal: AbortSignal): Promise<DnsAnswer> => {
    const found = await lookups.run(() => lookup(name, { all: true, hints: ADDRCONFIG }), { signal });
    const addresses = found.map(({ address, family }) => ({ address, family: family === 6 ? 6 : 4 }) as const);
    return { addresses, ttlSeconds: HOSTS_TTL_SECONDS };
  };
  return async (name, signal) => {
    if (!usesHostsFile) return query(name, signal, servers);
    if (!name.includes(".") || name.endsWith(".localhost")) return lookUp(name, signal);
    try {
      return await query(name, signal, servers);
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

/** Each query has its own client: it reads the current configuration of the system and can be cancelled alone. */
async function query(name: string, signal: AbortSignal, servers?: readonly string[]): Promise<DnsAnswer> {
  signal.throwIfAborted();
  const client = new DnsClient({ timeout: TRY_TIMEOUT_MS, tries: TRIES });
  if (servers !== undefined) client.setServers(servers);
  const done = new AbortController();
  const cancel = (): void => client.cancel();
  signal.addEventListener("abort", cancel, { once: true });
  const found: Found[] = [];
  const collect = async (family: 4 | 6, answer: Promise<{ address: string; ttl: number }[]>): Promise<void> => {
    for (const { address, ttl } of await answer) found.push({ address, family, ttl });
  };
  try {
    const ipv4 = collect(4, client.resolve4(name, { ttl: true }));
    const ipv6 = collect(6, client.resolve6(name, { ttl: true }));
    const both = Promise.allSettled([ipv4, ipv6]);
    const enough = Promise.any([ipv4, ipv6]).then(
      () => sleep(GRACE_MS, null, { signal: done.signal }),
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
    done.abort();
    client.cancel();
    signal.removeEventListener("abort", cancel);
  }
}
