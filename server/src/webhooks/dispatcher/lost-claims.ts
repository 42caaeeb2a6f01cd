import type pg from "pg";
import { releaseLostClaims } from "../sql/leases.ts";

/** The leases of older claims have expired anyway. */
const MAX_CLAIMS = 100;

/** Claims whose statement failed without a result. Rows that they did claim would otherwise wait until their leases expire. */
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
