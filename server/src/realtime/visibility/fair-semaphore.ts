import { AppError } from "../../errors/index.ts";

export interface FairSemaphoreOptions {
  readonly places: number;
  /** Of one key; what is more is refused. */
  readonly maxWaiting: number;
}

interface Turn {
  entered: number;
  readonly waiting: (() => void)[];
}

/** A bounded number of places, of which no key has more than half, given to the keys that wait in turn. */
export class FairSemaphore {
  readonly #options: FairSemaphoreOptions;
  readonly #mostOfOne: number;
  /** Whoever was let in last stands last. */
  readonly #turns = new Map<string, Turn>();
  #entered = 0;

  constructor(options: FairSemaphoreOptions) {
    this.#options = options;
    this.#mostOfOne = Math.max(1, Math.floor(options.places / 2));
  }

  async enter(key: string): Promise<void> {
    const turn = this.#turns.get(key) ?? { entered: 0, waiting: [] };
    this.#turns.set(key, turn);
    if (turn.waiting.length === 0 && this.#hasPlaceFor(turn)) return this.#admit(key, turn);
    if (turn.waiting.length >= this.#options.maxWaiting)
      throw new AppError("RATE_LIMITED", "Too much is being asked at once. Try again shortly.", {
        retryAfterSeconds: 1,
      });
    await new Promise<void>((resolve) => turn.waiting.push(resolve));
  }

  leave(key: string): void {
    const turn = this.#turns.get(key);
    if (turn === undefined) return;
    this.#entered -= 1;
    turn.entered -= 1;
    if (turn.entered === 0 && turn.waiting.length === 0) this.#turns.delete(key);
    for (const [next, its] of this.#turns) {
      if (its.waiting.length === 0 || !this.#hasPlaceFor(its)) continue;
      this.#admit(next, its);
      its.waiting.shift()?.();
      return;
    }
  }

  #hasPlaceFor(turn: Turn): boolean {
    return this.#entered < this.#options.places && turn.entered < this.#mostOfOne;
  }

  #admit(key: string, turn: Turn): void {
    this.#entered += 1;
    turn.entered += 1;
    this.#turns.delete(key);
    this.#turns.set(key, turn);
  }
}
