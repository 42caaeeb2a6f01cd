/** Counts sockets by address, including those in their handshake. */
export class AddressCounts {
  readonly #maxPerAddress: number;
  readonly #counts = new Map<string, number>();

  /** 0 is no limit. */
  constructor(maxPerAddress: number) {
    this.#maxPerAddress = maxPerAddress;
  }

  /** Returns false at the limit. After true, call `leave` once. */
  enter(address: string): boolean {
    const count = this.#counts.get(address) ?? 0;
    if (this.#maxPerAddress > 0 && count >= this.#maxPerAddress) return false;
    this.#counts.set(address, count + 1);
    return true;
  }

  leave(address: string): void {
    const count = this.#counts.get(address) ?? 0;
    if (count > 1) this.#counts.set(address, count - 1);
    else this.#counts.delete(address);
  }
}
