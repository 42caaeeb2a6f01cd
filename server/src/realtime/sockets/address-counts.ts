/** How many sockets each address has, those that are still being let in included. */
export class AddressCounts {
  readonly #most: number;
  readonly #counts = new Map<string, number>();

  /** 0 is no limit. */
  constructor(most: number) {
    this.#most = most;
  }

  /** False when the address has all that it may have; whoever got true gives it back with `leave`. */
  enter(address: string): boolean {
    const count = this.#counts.get(address) ?? 0;
    if (this.#most > 0 && count >= this.#most) return false;
    this.#counts.set(address, count + 1);
    return true;
  }

  leave(address: string): void {
    const count = this.#counts.get(address) ?? 0;
    if (count > 1) this.#counts.set(address, count - 1);
    else this.#counts.delete(address);
  }
}
