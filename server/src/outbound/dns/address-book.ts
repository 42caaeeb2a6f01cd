import { LRUCache } from "lru-cache";
import { OutboundError } from "../outbound-error.ts";
import type { DnsAnswer, ResolvedAddress, Resolver } from "./resolver.ts";

const MAX_NAMES = 10_000;
const LONGEST_KEPT_MS = 60_000;
/** Short, so that whoever repairs a name need not wait; long enough that a flood asks once. */
const FAILURE_KEPT_MS = 5_000;
const BUDGET_MS = 5_000;

export interface AddressBookOptions {
  readonly resolve: Resolver;
  readonly budgetMs?: number;
  /** Milliseconds that never go back. */
  readonly now?: () => number;
}

export interface AddressBook {
  /** Rejects with an OutboundError. Whether the addresses may be reached is for the caller to judge, each time. */
  find(name: string): Promise<readonly ResolvedAddress[]>;
  close(): void;
}

interface Entry {
  readonly answer: Promise<readonly ResolvedAddress[]>;
  expiresAtMs: number;
}

/** Remembers what names resolve to for a short while, and asks once for all that wait for the same name. */
export function createAddressBook({
  resolve,
  budgetMs = BUDGET_MS,
  now = monotonicMs,
}: AddressBookOptions): AddressBook {
  const entries = new LRUCache<string, Entry>({ max: MAX_NAMES });
  const closing = new AbortController();

  const ask = async (name: string): Promise<DnsAnswer> => {
    const signal = AbortSignal.any([AbortSignal.timeout(budgetMs), closing.signal]);
    try {
      const answer = await raceAgainst(signal, resolve(name, signal));
      if (answer.addresses.length === 0) throw new OutboundError("dns", "The host name has no address.");
      return answer;
    } catch (error) {
      throw toDnsError(error, signal);
    }
  };

  const remember = (name: string): Entry => {
    const asked = ask(name);
    const entry = { answer: asked.then(({ addresses }) => addresses), expiresAtMs: Number.POSITIVE_INFINITY };
    // Whoever asked gets the rejection as well; one that nobody waits for any more is not an error of the process.
    entry.answer.catch(() => {});
    asked.then(
      ({ ttlSeconds }) => {
        entry.expiresAtMs = now() + Math.min(ttlSeconds * 1000, LONGEST_KEPT_MS);
      },
      () => {
        entry.expiresAtMs = now() + FAILURE_KEPT_MS;
      },
    );
    entries.set(name, entry);
    return entry;
  };

  return {
    find(name) {
      const known = entries.get(name);
      return known !== undefined && known.expiresAtMs > now() ? known.answer : remember(name).answer;
    },
    close() {
      closing.abort();
      entries.clear();
    },
  };
}

function monotonicMs(): number {
  return performance.now();
}

function toDnsError(error: unknown, signal: AbortSignal): OutboundError {
  if (error instanceof OutboundError) return error;
  if (signal.aborted) return new OutboundError("dns", "The host name was not resolved in time.", { cause: error });
  const { code } = error as { code?: unknown };
  const suffix = typeof code === "string" ? ` (${code})` : "";
  return new OutboundError("dns", `The host name could not be resolved.${suffix}`, { cause: error });
}

/** A resolver that ignores its signal cannot hold anybody up. */
function raceAgainst<T>(signal: AbortSignal, promise: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason as Error);
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
}
