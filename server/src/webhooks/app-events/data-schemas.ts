import type pg from "pg";
import { LRUCache } from "lru-cache";
import { selectEventTypes, type StoredEventType } from "../sql/app-events.ts";

const MAX_KEPT = 1_000;
/** How long a changed schema can remain in use. */
const KEPT_MS = 5_000;

/** Finds the schemas of event types, and remembers them for some seconds. */
export class DataSchemas {
  readonly #pool: pg.Pool;
  readonly #kept = new LRUCache<string, Pick<StoredEventType, "listed" | "schema">>({ max: MAX_KEPT, ttl: KEPT_MS });

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  /** By name. Without the types that do not exist or have no schema, and for users without those that they cannot see. */
  async find(
    names: readonly string[],
    isService: boolean,
  ): Promise<ReadonlyMap<string, Readonly<Record<string, unknown>>>> {
    const missing = [...new Set(names)].filter((name) => !this.#kept.has(name));
    if (missing.length > 0) {
      const found = new Map((await selectEventTypes(this.#pool, missing)).map((type) => [type.name, type]));
      for (const name of missing) this.#kept.set(name, found.get(name) ?? { listed: false, schema: null });
    }
    return new Map(
      [...new Set(names)].flatMap((name) => {
        const kept = this.#kept.get(name);
        return kept?.schema && (isService || kept.listed) ? [[name, kept.schema] as const] : [];
      }),
    );
  }
}
