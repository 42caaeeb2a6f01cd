import { OriginPool, type OriginPoolOptions } from "./origin-pool.ts";

interface OriginPoolsOptions extends Omit<OriginPoolOptions, "origin" | "onIdle"> {
  readonly maxOrigins: number;
}

/** Least recently used first. Above the limit idle pools are closed; busy pools may exceed it, so that no request fails. */
export class OriginPools {
  readonly #options: OriginPoolsOptions;
  readonly #pools = new Map<string, OriginPool>();

  constructor(options: OriginPoolsOptions) {
    this.#options = options;
  }

  get originCount(): number {
    return this.#pools.size;
  }

  get connectionCount(): number {
    let count = 0;
    for (const pool of this.#pools.values()) count += pool.connectionCount;
    return count;
  }

  find(origin: string): OriginPool {
    const pool = this.#pools.get(origin) ?? this.#create(origin);
    this.#pools.delete(origin);
    this.#pools.set(origin, pool);
    return pool;
  }

  async destroy(): Promise<void> {
    const pools = [...this.#pools.values()];
    this.#pools.clear();
    await Promise.all(pools.map((pool) => pool.destroy()));
  }

  #create(origin: string): OriginPool {
    const { maxOrigins } = this.#options;
    if (this.#pools.size >= maxOrigins) this.#evictIdle();
    return new OriginPool({
      ...this.#options,
      origin,
      onIdle: (pool) => {
        if (pool.connectionCount === 0 || this.#pools.size > maxOrigins) this.#evict(pool);
      },
    });
  }

  #evictIdle(): void {
    for (const pool of this.#pools.values()) {
      if (this.#pools.size < this.#options.maxOrigins) return;
      if (pool.isIdle) this.#evict(pool);
    }
  }

  #evict(pool: OriginPool): void {
    if (this.#pools.get(pool.origin) === pool) this.#pools.delete(pool.origin);
    void pool.destroy();
  }
}
