import type pg from "pg";
import { LRUCache } from "lru-cache";
import { selectEventTypes, type StoredEventType } from "../sql/app-events.ts";

const MAX_KEPT = 1_000;
/** How long a changed schema can remain in use. */
const KEPT_MS = 5_000;

/** Why data does not satisfy a schema, as a sentence without its period; null means that it does. */
type FindFault = (data: unknown) => string | null;

interface DataSchemasOptions {
  readonly pool: pg.Pool;
  compile(schema: NonNullable<StoredEventType["schema"]>): FindFault;
}

interface KeptType {
  readonly isListed: boolean;
  readonly findFault: FindFault;
}

/** Finds the schemas of event types, and remembers them for some seconds. */
export class DataSchemas {
  readonly #options: DataSchemasOptions;
  /** Null means that the type does not exist or has no schema. */
  readonly #kept = new LRUCache<string, { readonly type: KeptType | null }>({ max: MAX_KEPT, ttl: KEPT_MS });

  constructor(options: DataSchemasOptions) {
    this.#options = options;
  }

  /** By name. Without the types that do not exist or have no schema, and for users without those that they cannot see. */
  async find(names: ReadonlySet<string>, isService: boolean): Promise<ReadonlyMap<string, FindFault>> {
    const missing = [...names].filter((name) => !this.#kept.has(name));
    if (missing.length > 0) await this.#load(missing);
    const found = new Map<string, FindFault>();
    for (const name of names) {
      const type = this.#kept.get(name)?.type ?? null;
      if (type !== null && (isService || type.isListed)) found.set(name, type.findFault);
    }
    return found;
  }

  async #load(names: readonly string[]): Promise<void> {
    const found = new Map((await selectEventTypes(this.#options.pool, names)).map((type) => [type.name, type]));
    for (const name of names) this.#kept.set(name, { type: this.#compile(found.get(name)) });
  }

  #compile(type: StoredEventType | undefined): KeptType | null {
    if (type === undefined || type.schema === null) return null;
    const findFault = this.#options.compile(type.schema);
    // Numbers that JavaScript would round are kept as texts, which no schema expects.
    return { isListed: type.listed, findFault: (data) => findFault(JSON.parse(JSON.stringify(data))) };
  }
}
