/** Counts what holders have of each key. A holder that is lost is released with all that it has. */
export class HolderCounts<Holder> {
  readonly #byKey = new Map<string, number>();
  readonly #byHolder = new Map<Holder, Map<string, number>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  countOf(key: string): number {
    return this.#byKey.get(key) ?? 0;
  }

  add(holder: Holder, key: string): void {
    const held = this.#byHolder.get(holder) ?? new Map<string, number>();
    this.#byHolder.set(holder, held);
    change(held, key, 1);
    change(this.#byKey, key, 1);
    this.#size += 1;
  }

  remove(holder: Holder, key: string): void {
    const held = this.#byHolder.get(holder);
    // The holder was released meanwhile.
    if (held === undefined || !held.has(key)) return;
    change(held, key, -1);
    change(this.#byKey, key, -1);
    this.#size -= 1;
  }

  removeAll(holder: Holder): void {
    for (const [key, count] of this.#byHolder.get(holder) ?? []) {
      change(this.#byKey, key, -count);
      this.#size -= count;
    }
    this.#byHolder.delete(holder);
  }
}

function change(counts: Map<string, number>, key: string, difference: number): void {
  const count = (counts.get(key) ?? 0) + difference;
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
}
