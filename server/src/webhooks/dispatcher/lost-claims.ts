import type pg from "pg";
import { releaseLostClaims } from "../sql/release-claims.ts";

/** The leases of older ones have run out anyway. */
const MAX_CLAIMS = 100;

/** Claims that were asked for and never heard of again. Those that were made would lie idle until their leases end. */
export class LostClaims {
  readonly #pool: pg.Pool;
  readonly #claims: string[] = [];

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  add(claim: string): void {
    this.#claims.push(claim);
    if (this.#claims.length > MAX_CLAIMS) this.#claims.shift();
  }

  async release(): Promise<void> {
    if (this.#claims.length === 0) return;
    const released = [...this.#claims];
    await releaseLostClaims(this.#pool, released);
    this.#claims.splice(0, released.length);
  }
}
