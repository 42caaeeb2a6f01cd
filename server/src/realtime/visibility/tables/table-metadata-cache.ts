import type pg from "pg";
import { inTransaction } from "../../../db/index.ts";
import { selectTypes } from "../../feed/sql/select-types.ts";
import type { ReplicatedRelation } from "../../feed/row-change.ts";
import { selectTableMetadata } from "./sql/select-table-metadata.ts";
import { describeTable, type TableMetadata } from "./table-metadata.ts";

const MAX_AGE_MS = 5_000;

/** Caches table metadata. The WAL sends a new Relation after each change of a table, its policies or its grants. */
export class TableMetadataCache {
  readonly #pool: pg.Pool;
  readonly #byRelation = new WeakMap<ReplicatedRelation, TableMetadata>();
  readonly #byName = new Map<string, { readonly metadata: Promise<TableMetadata | null>; readonly untilMs: number }>();

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  /** Null when the metadata is not loaded. */
  known(relation: ReplicatedRelation): TableMetadata | null {
    return this.#byRelation.get(relation) ?? null;
  }

  /** Null when the table no longer exists. */
  async describe(relation: ReplicatedRelation): Promise<TableMetadata | null> {
    const known = this.#byRelation.get(relation);
    if (known !== undefined) return known;
    const metadata = await this.#load({ oid: relation.oid });
    if (metadata !== null) this.#byRelation.set(relation, metadata);
    return metadata;
  }

  /** By name, for joins. Cached for a short time, because many joins arrive together. */
  find(schema: string, name: string): Promise<TableMetadata | null> {
    const key = JSON.stringify([schema, name]);
    const known = this.#byName.get(key);
    if (known !== undefined && known.untilMs > performance.now()) return known.metadata;
    const metadata = this.#load({ schema, name });
    this.#byName.set(key, { metadata, untilMs: performance.now() + MAX_AGE_MS });
    const remove = (): void => void this.#byName.delete(key);
    metadata.then((found) => found ?? remove(), remove);
    return metadata;
  }

  reload(schema: string, name: string): Promise<TableMetadata | null> {
    this.#byName.delete(JSON.stringify([schema, name]));
    return this.find(schema, name);
  }

  clearNames(): void {
    this.#byName.clear();
  }

  #load(table: { oid: number } | { schema: string; name: string }): Promise<TableMetadata | null> {
    return inTransaction(this.#pool, async (client) => {
      // JIT compilation of catalog queries costs more than it saves.
      await client.query("set local search_path = ''; set local jit = off");
      const row = await selectTableMetadata(client, table);
      if (row === null) return null;
      const oids = [...new Set(row.columns.map(({ typeOid }) => typeOid))];
      return describeTable(row, await selectTypes(client, oids));
    });
  }
}
