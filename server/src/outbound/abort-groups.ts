import type { Exchange } from "./exchange.ts";

interface Group {
  readonly exchanges: Set<Exchange>;
  readonly onAbort: () => void;
}

/** Groups exchanges by their abort signal, so that each signal has one listener. */
export class AbortGroups {
  readonly #groups = new Map<AbortSignal, Group>();

  join(signal: AbortSignal, exchange: Exchange): void {
    const group = this.#groups.get(signal) ?? this.#open(signal);
    group.exchanges.add(exchange);
  }

  leave(signal: AbortSignal, exchange: Exchange): void {
    const group = this.#groups.get(signal);
    if (group === undefined || !group.exchanges.delete(exchange) || group.exchanges.size > 0) return;
    signal.removeEventListener("abort", group.onAbort);
    this.#groups.delete(signal);
  }

  #open(signal: AbortSignal): Group {
    const exchanges = new Set<Exchange>();
    const group = { exchanges, onAbort: () => exchanges.forEach((exchange) => exchange.abort()) };
    signal.addEventListener("abort", group.onAbort);
    this.#groups.set(signal, group);
    return group;
  }
}
