import { LRUCache } from "lru-cache";
import { unlessAborted } from "@swarmbase/concurrency";
import { OutboundError } from "../outbound-result.ts";
import type { DnsAnswer, ResolvedAddress, Resolver } from "./resolver.ts";

const MAX_NAMES = 10_000;
const MAX_TTL_MS = 60_000;
/** Short, so that a repaired name works soon; long enough that many requests cause one query. */
const FAILURE_TTL_MS = 5_000;
const TIMEOUT_MS = 5_000;

interface DnsCacheOptions {
  readonly resolve: Resolver;
  readonly timeoutMs?: number;
  /** Monotonic, in milliseconds. */
  readonly now?: () => number;
}

export interface DnsCache {
  /** Rejects with an OutboundError. The caller must check each time whether the addresses are allowed. */
  find(name: string): Promise<readonly ResolvedAddress[]>;
  close(): void;
}

interface Entry {
  readonly answer: Promise<readonly ResolvedAddress[]>;
  expiresAtMs: number;
}

/** Caches the addresses of names for a short time. Concurrent lookups of one name share one query. */
export function createDnsCache({
  resolve,
  timeoutMs = TIMEOUT_MS,
  now = performance.now.bind(performance),
}: DnsCacheOptions): DnsCache {
  const entries = new LRUCache<string, Entry>({ max: MAX_NAMES });
  const closing = new AbortController();

  const query = async (name: string): Promise<DnsAnswer> => {
    const signal = AbortSignal.any([AbortSignal.timeout(timeoutMs), closing.signal]);
    try {
      const answer = await unlessAborted(resolve(name, signal), signal);
      if (answer.addresses.length === 0) throw new OutboundError("dns", "The host name has no address.");
      return answer;
    } catch (error) {
      throw toDnsError(error, signal);
    }
  };

  const load = (name: string): Entry => {
    const queried = query(name);
    const entry = { answer: queried.then(({ addresses }) => addresses), expiresAtMs: Number.POSITIVE_INFINITY };
    // Without a caller the rejection must not count as unhandled.
    entry.answer.catch(() => {});
    const expireAfter = (ttlMs: number): void => {
      entry.expiresAtMs = now() + ttlMs;
    };
    queried.then(
      ({ ttlSeconds }) => expireAfter(Math.min(ttlSeconds * 1000, MAX_TTL_MS)),
      () => expireAfter(FAILURE_TTL_MS),
    );
    entries.set(name, entry);
    return entry;
  };

  return {
    find(name) {
      const known = entries.get(name);
      return known !== undefined && known.expiresAtMs > now() ? known.answer : load(name).answer;
    },
    close() {
      closing.abort();
      entries.clear();
    },
  };
}

function toDnsError(error: unknown, signal: AbortSignal): OutboundError {
  if (error instanceof OutboundError) return error;
  if (signal.aborted) return new OutboundError("dns", "The host name was not resolved in time.", { cause: error });
  const { code } = error as { code?: unknown };
  const suffix = typeof code === "string" ? ` (${code})` : "";
  return new OutboundError("dns", `The host name could not be resolved.${suffix}`, { cause: error });
}
