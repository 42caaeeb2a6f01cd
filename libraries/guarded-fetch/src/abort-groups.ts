import type { Exchange } from "./exchange.ts";

/** Groups exchanges by their abort signal, so that each signal has one listener. */
export class AbortGroups {
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
