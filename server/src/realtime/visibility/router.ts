import type { Database } from "../../db/index.ts";
import { readerOf } from "../feed/read-column.ts";
import type { RowChange, Transaction } from "../feed/row-change.ts";
import { type CheckContext, checkChange } from "./checks/check-change.ts";
import { fetchValues, isIncomplete } from "./delivery/fetch-values.ts";
import type { BindingIndex } from "./matching/binding-index.ts";
import { matchChange } from "./matching/match-change.ts";
import { type AccessBefore, createRoutedChange } from "./matching/routed-change.ts";
import type { TableMetadataCache } from "./tables/table-metadata-cache.ts";
import type { TableMetadata } from "./tables/table-metadata.ts";

export interface RouterOptions extends CheckContext {
  readonly database: Database;
  readonly index: BindingIndex;
  readonly tables: TableMetadataCache;
  readonly maxRecordBytes: number;
}

/** Routes each change in order through its stages: table metadata, matching, checks, delivery. */
export class Router {
  readonly #options: RouterOptions;

  constructor(options: RouterOptions) {
    this.#options = options;
  }

  /** Synchronous unless table metadata or column values have to be fetched. */
  route(transaction: Transaction, accessBefore: AccessBefore): Promise<void> | void {
    const { index, tables } = this.#options;
    for (const [position, change] of transaction.changes.entries()) {
      if (!index.hasBindings(change.relation)) continue;
      const metadata = tables.known(change.relation);
      if (metadata === null || isIncomplete(change)) return this.#routeRest(transaction, accessBefore, position);
      this.#routeChange(transaction, change, metadata, accessBefore);
    }
  }

  async #routeRest(transaction: Transaction, accessBefore: AccessBefore, from: number): Promise<void> {
    const { index, tables, whenVisible } = this.#options;
    await whenVisible(transaction.xid);
    for (const change of transaction.changes.slice(from)) {
      if (!index.hasBindings(change.relation)) continue;
      const metadata = await tables.describe(change.relation);
      if (metadata === null) continue;
      const complete = isIncomplete(change) && this.#hasMatch(change) ? await this.#complete(change, metadata) : change;
      this.#routeChange(transaction, complete, metadata, accessBefore);
    }
  }

  #routeChange(transaction: Transaction, change: RowChange, metadata: TableMetadata, accessBefore: AccessBefore): void {
    const { index, access, maxRecordBytes: maxBytes } = this.#options;
    if (!metadata.isPublished || (change.record ?? change.oldRecord) === null) return;
    const routed = createRoutedChange(transaction, change, metadata, { accessBefore, maxBytes });
    for (const match of matchChange(routed, index, access)) checkChange(this.#options, routed, match);
  }

  #hasMatch(change: RowChange): boolean {
    const read = readerOf(change.relation, change.record ?? []);
    const [group] = this.#options.index.find(change.relation, change.type, read, true);
    return group !== undefined;
  }

  async #complete(change: RowChange, metadata: TableMetadata): Promise<RowChange> {
    const { database, observer } = this.#options;
    return fetchValues(database, change, metadata).catch((error: unknown) => {
      observer.note("realtime.value_missing", { table: `${metadata.schema}.${metadata.name}`, error });
      return change;
    });
  }
}
