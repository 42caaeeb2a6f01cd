/** A limit per whole second of a monotonic clock. */
export class Rate {
  readonly #perSecond: number;
  #second = -1;
  #count = 0;

  /** 0 is no limit. */
  constructor(perSecond: number) {
    this.#perSecond = perSecond;
  }

  allows(nowMs: number): boolean {
    if (this.#perSecond === 0) return true;
    const second = Math.floor(nowMs / 1000);
    if (second !== this.#second) {
      this.#second = second;
      this.#count = 0;
    }
    this.#count += 1;
    return this.#count <= this.#perSecond;
  }
}
