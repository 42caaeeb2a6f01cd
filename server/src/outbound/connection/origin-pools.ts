import type { GuardedConnector } from "./guarded-connector.ts";
import { OriginPool } from "./origin-pool.ts";

export interface OriginPoolsOptions {
  readonly connect: GuardedConnector;
  readonly connectionsPerOrigin: number;
  readonly maxOrigins: number;
  readonly maxSocketAgeMs: number;
}

/**
 * Pools by origin, in the order of their last use. Above the limit the least recently used idle pools are closed. While all
 * pools are busy their number may exceed the limit, because a request to a new origin must not fail for others.
 */
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
    const { connect, connectionsPerOrigin, maxOrigins, maxSocketAgeMs } = this.#options;
    if (this.#pools.size >= maxOrigins) this.#evictIdle();
    return new OriginPool({
      origin,
      connect,
      maxConnections: connectionsPerOrigin,
      maxSocketAgeMs,
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
