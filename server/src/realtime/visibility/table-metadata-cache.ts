import type pg from "pg";
import { inTransaction } from "../../db/index.ts";
import { selectTypes } from "../feed/sql/select-types.ts";
import type { Relation } from "../feed/row-change.ts";
import { selectTableMetadata } from "./sql/select-table-metadata.ts";
import { describeTable, type TableMetadata } from "./table-metadata.ts";

const FRESH_MS = 5_000;

/** What is known of tables. The WAL describes a table anew after each change to it, its rules and its rights. */
export class TableMetadataCache {
  readonly #pool: pg.Pool;
  readonly #byRelation = new WeakMap<Relation, TableMetadata>();
  readonly #byName = new Map<string, { readonly facts: Promise<TableMetadata | null>; readonly untilMs: number }>();

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  /** Null: it has to be read first. */
  known(relation: Relation): TableMetadata | null {
    return this.#byRelation.get(relation) ?? null;
  }

  /** Null when the table is no longer there. */
  async describe(relation: Relation): Promise<TableMetadata | null> {
    const known = this.#byRelation.get(relation);
    if (known !== undefined) return known;
    const facts = await this.#load({ oid: relation.oid });
    if (facts !== null) this.#byRelation.set(relation, facts);
    return facts;
  }

  /** For joins, of which many come together. */
  find(schema: string, name: string): Promise<TableMetadata | null> {
    const key = JSON.stringify([schema, name]);
    const known = this.#byName.get(key);
    if (known !== undefined && known.untilMs > performance.now()) return known.facts;
    const facts = this.#load({ schema, name });
    this.#byName.set(key, { facts, untilMs: performance.now() + FRESH_MS });
    const forget = (): void => void this.#byName.delete(key);
    facts.then((found) => found ?? forget(), forget);
    return facts;
  }

  findAnew(schema: string, name: string): Promise<TableMetadata | null> {
    this.#byName.delete(JSON.stringify([schema, name]));
    return this.find(schema, name);
  }

  forgetNames(): void {
    this.#byName.clear();
  }

  #load(table: { oid: number } | { schema: string; name: string }): Promise<TableMetadata | null> {
    return inTransaction(this.#pool, async (client) => {
      // Compiling statements on the catalogue costs more than running them.
      await client.query("set local search_path = ''; set local jit = off");
      const row = await selectTableMetadata(client, table);
      if (row === null) return null;
      const oids = [...new Set(row.columns.map(({ typeOid }) => typeOid))];
      return describeTable(row, await selectTypes(client, oids));
    });
  }
}
