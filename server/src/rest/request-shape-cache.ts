import { LRUCache } from "lru-cache";
import type { Catalogue } from "./catalogue/catalogue.ts";

const SHAPE_LIMIT = 1_000;
// A longer key is hardly ever used twice.
const MAX_KEY_LENGTH = 16_384;

/**
 * Plans and statements by request shape, valid for one catalogue. A new catalogue empties the cache; at the limit the least recently
 * used entry is evicted.
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
