interface FairQueueOptions {
  readonly permits: number;
  /** Permits that a key may hold at a time. */
  maxHeldBy(key: string): number;
  /** How many of them may be for long work; all by default. */
  maxLongHeldBy?(key: string): number;
}

/** What holds a permit or waits for it. */
export interface PermitHolder {
  readonly key: string;
  readonly isLong?: boolean;
}

interface KeyState<Item> {
  held: number;
  heldLong: number;
  /** In the order of arrival. */
  readonly waiting: Item[];
}

/**
 * Decides who gets a permit next: the key that holds the fewest permits, keys that hold equally many in turn, and the items of
 * one key in the order of arrival, where short work passes long work that may not start yet. Items can also join the permit of
 * another item; they count for their key, but take no permit.
 */
export class FairQueue<Item extends PermitHolder> {
  readonly #options: FairQueueOptions;
  /** The keys that hold or wait. */
  readonly #keys = new Map<string, KeyState<Item>>();
  /** The keys that wait. The key that was served last is the last one. */
  readonly #turns = new Map<string, KeyState<Item>>();
  #free: number;
  #size = 0;

  constructor(options: FairQueueOptions) {
    this.#options = options;
    this.#free = options.permits;
  }

  /** The number of items that wait. */
  get size(): number {
    return this.#size;
  }

  has(item: Item): boolean {
    return this.#turns.get(item.key)?.waiting.includes(item) === true;
  }

  countWaiting(key: string): number {
    return this.#turns.get(key)?.waiting.length ?? 0;
  }

  /** Takes a permit without waiting; false when none is free for the holder. */
  tryTake({ key, isLong = false }: PermitHolder): boolean {
    const known = this.#keys.get(key);
    const state = known ?? { held: 0, heldLong: 0, waiting: [] };
    if (this.#free === 0 || !this.#mayHold(key, state) || (isLong && !this.#mayHoldLong(key, state))) return false;
    if (known === undefined) this.#keys.set(key, state);
    this.#grant(state, isLong);
    return true;
  }

  add(item: Item): void {
    const known = this.#keys.get(item.key);
    const state = known ?? { held: 0, heldLong: 0, waiting: [] };
    if (known === undefined) this.#keys.set(item.key, state);
    if (state.waiting.push(item) === 1) this.#turns.set(item.key, state);
    this.#size += 1;
  }

  /** False when the item does not wait any more. */
  remove(item: Item): boolean {
    const state = this.#turns.get(item.key);
    const index = state?.waiting.indexOf(item) ?? -1;
    if (state === undefined || index === -1) return false;
    this.#take(state, index);
    if (state.waiting.length === 0) this.#turns.delete(item.key);
    this.#forgetUnused(item.key, state);
    return true;
  }

  /** Gives the next item a permit; null when no permit is free or no item may have it. */
  take(): Item | null {
    if (this.#free === 0 || this.#size === 0) return null;
    let next: KeyState<Item> | null = null;
    let nextIndex = -1;
    for (const [key, state] of this.#turns) {
      if (!this.#mayHold(key, state) || (next !== null && state.held >= next.held)) continue;
      const index = this.#mayHoldLong(key, state) ? 0 : state.waiting.findIndex(({ isLong }) => isLong !== true);
      if (index === -1) continue;
      next = state;
      nextIndex = index;
      if (state.held === 0) break;
    }
    if (next === null) return null;
    const item = this.#serve(next, nextIndex);
    this.#grant(next, item.isLong === true);
    return item;
  }

  /**
   * Takes up to `room` items that join the permit of `first`, one of each other key. When no other key could use a permit now,
   * the rest of the room goes to further items of the keys that have joined.
   */
  join<Joined extends Item>(first: Item, room: number, canJoin: (item: Item) => item is Joined): Joined[] {
    const keys = [first.key];
    const joined: Joined[] = [];
    let isOtherWaiting = false;
    // A key that was served is visited again at the end of the turn.
    for (const [key, state] of this.#turns) {
      if (joined.length === room) return joined;
      if (keys.includes(key) || !this.#mayHold(key, state)) continue;
      const index = state.waiting.findIndex(canJoin);
      if (index === -1) {
        isOtherWaiting = true;
        continue;
      }
      state.held += 1;
      keys.push(key);
      joined.push(this.#serve(state, index) as Joined);
    }
    if (isOtherWaiting || this.#size === 0) return joined;
    for (const key of keys) {
      for (
        let state = this.#turns.get(key);
        state !== undefined && joined.length < room;
        state = this.#turns.get(key)
      ) {
        const index = state.waiting.findIndex(canJoin);
        if (index === -1) break;
        joined.push(this.#serve(state, index) as Joined);
      }
    }
    return joined;
  }

  /** The key holds one permit less. The permit itself stays taken until `free`. */
  leave({ key, isLong = false }: PermitHolder): void {
    const state = this.#keys.get(key);
    if (state === undefined) return;
    state.held -= 1;
    if (isLong) state.heldLong -= 1;
    this.#forgetUnused(key, state);
  }

  /** Returns a permit. */
  free(): void {
    this.#free += 1;
  }

  /** Removes the latest item of the key with the most waiting items, of those that `canEvict` accepts. */
  evict(canEvict: (key: string) => boolean): Item | null {
    let longest: readonly Item[] = [];
    for (const [key, { waiting }] of this.#turns)
      if (waiting.length > longest.length && canEvict(key)) longest = waiting;
    const item = longest.at(-1);
    if (item === undefined) return null;
    this.remove(item);
    return item;
  }

  #mayHold(key: string, { held }: KeyState<Item>): boolean {
    return held < this.#options.maxHeldBy(key);
  }

  #mayHoldLong(key: string, { heldLong }: KeyState<Item>): boolean {
    return heldLong < (this.#options.maxLongHeldBy?.(key) ?? Number.POSITIVE_INFINITY);
  }

  #grant(state: KeyState<Item>, isLong: boolean): void {
    this.#free -= 1;
    state.held += 1;
    if (isLong) state.heldLong += 1;
  }

  /** The item waits no longer, and its key is the last one of the turn. */
  #serve(state: KeyState<Item>, index: number): Item {
    const item = this.#take(state, index);
    this.#turns.delete(item.key);
    if (state.waiting.length > 0) this.#turns.set(item.key, state);
    return item;
  }

  #take({ waiting }: KeyState<Item>, index: number): Item {
    const item = index === 0 ? waiting.shift() : waiting.splice(index, 1)[0];
    if (item === undefined) throw new RangeError("no item waits there");
    this.#size -= 1;
    return item;
  }

  #forgetUnused(key: string, { held, waiting }: KeyState<Item>): void {
    if (held === 0 && waiting.length === 0) this.#keys.delete(key);
  }
}
