import type { Catalogue } from "./catalogue/catalogue.ts";

const SHAPE_LIMIT = 1_000;
// What is longer is hardly ever asked twice.
const LONGEST_KEY = 16_384;

/**
 * What was made from requests of one shape, for as long as the catalogue it was made from is the current one. The one that
 * was used least recently goes first.
 */
export class ShapeCache<T> {
  readonly #limit: number;
  #shapes = new Map<string, T>();
  #catalogue: Catalogue | null = null;

  constructor(limit = SHAPE_LIMIT) {
    this.#limit = limit;
  }

  get size(): number {
    return this.#shapes.size;
  }

  get(catalogue: Catalogue, key: string, make: () => T): T {
    if (catalogue !== this.#catalogue) {
      this.#catalogue = catalogue;
      this.#shapes = new Map();
    }
    const known = this.#shapes.get(key);
    if (known !== undefined) {
      this.#shapes.delete(key);
      this.#shapes.set(key, known);
      return known;
    }
    const made = make();
    if (key.length <= LONGEST_KEY) this.#keep(key, made);
    return made;
  }

  #keep(key: string, made: T): void {
    this.#shapes.set(key, made);
    if (this.#shapes.size <= this.#limit) return;
    for (const oldest of this.#shapes.keys()) {
      this.#shapes.delete(oldest);
      break;
    }
  }
}
