import { LRUCache } from "lru-cache";
import type { Catalogue } from "./catalogue/catalogue.ts";

const SHAPE_LIMIT = 1_000;
// What is longer is hardly ever asked twice.
const MAX_KEY_LENGTH = 16_384;

/**
 * What was made from requests of one shape, for as long as the catalogue it was made from is the current one. The one that
 * was used least recently goes first.
 */
export class RequestShapeCache<T extends object> {
  readonly #shapes: LRUCache<string, T>;
  #catalogue: Catalogue | null = null;

  constructor(limit = SHAPE_LIMIT) {
    this.#shapes = new LRUCache({ max: limit });
  }

  get size(): number {
    return this.#shapes.size;
  }

  get(catalogue: Catalogue, key: string, make: () => T): T {
    if (catalogue !== this.#catalogue) {
      this.#catalogue = catalogue;
      this.#shapes.clear();
    }
    const known = this.#shapes.get(key);
    if (known !== undefined) return known;
    const made = make();
    if (key.length <= MAX_KEY_LENGTH) this.#shapes.set(key, made);
    return made;
  }
}
